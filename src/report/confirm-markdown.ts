// A confirmation as a pull-request comment.
import { CONFIRM_COLUMNS, type Confirmation, confirmCells, confirmLines } from './confirm-text';
import { blocks, DIFF_MARKER, diffBody, escapeMarkdown, markdownTable } from './markdown';

const TITLES = { same: 'nothing is worse', worse: 'worse than the baseline', unknown: "can't tell" };

/** Begins with the marker of a diff, so that a workflow replaces the comment of a diff by that of a confirmation. */
export function renderConfirmation(confirmation: Confirmation): string {
  const cells = confirmation.answers.map(one => {
    const [answer = '', ...rest] = confirmCells(one).map(text => escapeMarkdown(text));
    return [one.answer === 'regressed' ? `**${answer}**` : answer, ...rest];
  });
  return blocks([
    DIFF_MARKER,
    `### Taskproof: ${TITLES[confirmation.outcome]}`,
    confirmLines(confirmation)
      .map(line => escapeMarkdown(line, 2_000))
      .join('  \n'),
    cells.length > 0 && markdownTable(CONFIRM_COLUMNS, cells, 20_000),
    `<details>\n<summary>The run compared with the baseline</summary>\n\n${diffBody(confirmation.diff)}\n</details>`,
  ]);
}
