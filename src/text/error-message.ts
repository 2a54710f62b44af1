// What an error says.

export function messageOf(error: unknown): string {
  if (error instanceof Error) return error.message;
  return typeof error === 'string' ? error : String(JSON.stringify(error) ?? error);
}
