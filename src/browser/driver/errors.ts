/** An error for the model: one sentence, with what to do instead. */
export class DriverError extends Error {
  override name = 'DriverError';
}
