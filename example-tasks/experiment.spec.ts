import { taskproofTests } from '@taskproof/playwright';

taskproofTests('experiment/*.yaml');
