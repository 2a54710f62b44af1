/** An error for the model. The message says what is wrong and what to do instead. */
export class DriverError extends Error {
  override name = 'DriverError';
}
