import { z } from 'zod';
import { taskSpecObject } from './schema';

/** The JSON Schema (draft 7, which editors know best) of a task spec as it is written: defaults are optional. */
export function taskSpecJsonSchema(): z.core.JSONSchema.BaseSchema {
  return z.toJSONSchema(taskSpecObject, {
    io: 'input',
    target: 'draft-7',
    override: ({ jsonSchema }) => {
      if (jsonSchema.multipleOf !== 1) return;
      jsonSchema.type = 'integer';
      delete jsonSchema.multipleOf;
    },
  });
}
