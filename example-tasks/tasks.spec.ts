import { taskproofTests } from '@taskproof/playwright';

taskproofTests('tasks/**/*.yaml');
