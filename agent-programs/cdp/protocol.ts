// The part of the protocol that this agent uses. All of it: docs/agent-protocol.md, and as JSON
// Schema from `taskproof schema --agent-protocol`.

export interface Task {
  protocolVersion: '1';
  goal: string;
  /** Values to type, by name. */
  secrets: Record<string, string>;
  cdp: { url: string; targetId: string };
}

export type Line =
  | { type: 'turn'; title: string }
  | { type: 'narration'; text: string }
  | { type: 'action'; title: string; point?: { x: number; y: number } }
  | { type: 'record'; do: 'click'; locator: string }
  | { type: 'record'; do: 'fill'; locator: string; text: string }
  | { type: 'record'; do: 'select'; locator: string; labels: string[] }
  | { type: 'record'; do: 'press'; locator: string; key: string }
  | { type: 'dialogs'; answeredBy: 'host' | 'program' }
  | { type: 'dialog'; accept: boolean }
  | { type: 'turn_end' }
  | { type: 'end'; status: 'completed' }
  | { type: 'end'; status: 'gave_up'; reason: string };
