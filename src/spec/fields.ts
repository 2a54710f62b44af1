// What the fields of both versions of the format are made of.
import { z } from 'zod';

export const nonEmpty = () => z.string().min(1);
export const note = () => z.string().optional().describe('For people only.');

/** Runs a rule between fields even if one of them is wrong, to report all problems at once. */
export const always = ({ value }: { value: unknown }) => typeof value === 'object' && value !== null;
