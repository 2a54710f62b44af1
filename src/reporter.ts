export { default } from './report/reporter';
