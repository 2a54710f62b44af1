/** What a model is told when something can't be done: one sentence, with what to do instead. */
export class DriverError extends Error {
  override name = 'DriverError';
}
