// Where a trial is shown to people while it runs. In a suite that is Playwright's test; the trial knows only this.

export interface Attachment {
  body: Buffer | string;
  contentType: string;
}

export interface SourceLocation {
  file: string;
  /** 1-based. */
  line: number;
  column: number;
}

export interface Stage {
  step<T>(
    title: string,
    body: (attach: Stage['attach']) => Promise<T>,
    location?: SourceLocation,
  ): Promise<T>;
  attach(name: string, attachment: Attachment): Promise<void>;
}
