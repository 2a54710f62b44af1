// Before each file: what a worker shares is loaded once, what a file makes goes with it.
import { afterAll } from 'vitest';
import { endAll } from './suite';

afterAll(endAll);
