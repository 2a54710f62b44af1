// merge.config.ts
export default {
  reporter: [['list'], ['@taskproof/playwright/reporter', { baseline: 'taskproof-baseline.json' }], ['html']],
};
