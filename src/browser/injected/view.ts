// A document as a whole: how much of it is seen, when it has drawn, and redrawing a picture of it.

export function viewport() {
  return { width: innerWidth, height: innerHeight, ratio: devicePixelRatio, scrolled: Math.round(scrollY) };
}

/** Grows while a document is still being built. */
export function countElements(): number {
  return document.getElementsByTagName('*').length;
}

/** Waits until the tasks which the page has already scheduled have run. */
export function nextTasks(): Promise<void> {
  return new Promise(resolve => setTimeout(resolve));
}

/** Waits until the page has drawn: no scrolling, no running transition. */
export async function drawn(limitMs: number): Promise<void> {
  const began = performance.now();
  const end = began + limitMs;
  let scrolled = 0;
  const onScroll = () => {
    scrolled = performance.now();
  };
  // A hidden tab draws no frames.
  const frame = () =>
    new Promise<void>(resolve => {
      requestAnimationFrame(() => resolve());
      setTimeout(resolve, 100);
    });
  const moving = () =>
    document.getAnimations().filter(animation => {
      const end = animation.effect?.getComputedTiming().endTime;
      return animation.playState === 'running' && typeof end === 'number' && Number.isFinite(end);
    });
  addEventListener('scroll', onScroll, { capture: true, passive: true });
  try {
    // What the action's listeners have scheduled for the next frame runs before this resolves.
    await frame();
    // The browser reports a navigation or request of a timer a moment later.
    const left = began + 20 - performance.now();
    if (left > 0) await new Promise(resolve => setTimeout(resolve, left));
    while (performance.now() < end && (performance.now() - scrolled < 60 || moving().length > 0))
      await frame();
  } finally {
    removeEventListener('scroll', onScroll, { capture: true });
  }
}

/** Shrinks a JPEG in Base64. Does not load the image by address, which the page's policy may forbid. */
export async function redraw(data: string, factor: number, quality: number): Promise<string> {
  const bytes = Uint8Array.from(atob(data), each => each.charCodeAt(0));
  const bitmap = await createImageBitmap(new Blob([bytes], { type: 'image/jpeg' }));
  const canvas = document.createElement('canvas');
  canvas.width = Math.round(bitmap.width * factor);
  canvas.height = Math.round(bitmap.height * factor);
  canvas.getContext('2d')!.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
  return canvas.toDataURL('image/jpeg', quality).split(',')[1]!;
}
