import { pageToolTests } from '@taskproof/playwright';

pageToolTests('/shop', { calls: { search_products: { words: 'fern' } } });
