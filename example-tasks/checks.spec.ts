import { taskproofTests } from '@taskproof/playwright';

taskproofTests('checks/*.yaml');
