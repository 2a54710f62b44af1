import type { BetaContentBlockParam } from '@anthropic-ai/sdk/resources/beta/messages/messages';
import { describe, expect, it } from 'vitest';
import { messagesToSend } from '../../../../src/agents/claude/loop';
import { Conversation, type Message } from '../../../../src/agents/model/conversation';

const PICTURE = {
  type: 'image',
  source: { type: 'base64', media_type: 'image/jpeg', data: 'AA==' },
} as const;
const opening: BetaContentBlockParam[] = [{ type: 'text', text: 'goal' }];

const say = (conversation: Conversation, role: string, content: BetaContentBlockParam[]) =>
  void conversation.messages.push({ role, content });
const contentOf = (message?: Message) => message!.content as BetaContentBlockParam[];
const toSend = ({ messages }: Conversation) => messagesToSend(messages as never);

function answered(conversation: Conversation, id: string, content: 'picture' | 'reading' | 'short'): void {
  say(conversation, 'assistant', [
    { type: 'thinking', thinking: `about ${id}`, signature: 's' },
    { type: 'tool_use', id, name: 'read_page', input: {} },
  ]);
  const text = content === 'reading' ? `${id} ${'x'.repeat(7000)}` : 'Clicked.';
  say(conversation, 'user', [
    {
      type: 'tool_result',
      tool_use_id: id,
      content: [content === 'picture' ? { ...PICTURE } : { type: 'text', text }],
    },
  ]);
}

function conversationOf(
  kinds: ('picture' | 'reading' | 'short')[],
  policy = { atTokens: 4000, keep: 1 },
): Conversation {
  const conversation = new Conversation([{ role: 'user', content: opening }], policy);
  for (const [index, kind] of kinds.entries()) answered(conversation, `t${index}`, kind);
  return conversation;
}

const kindsOf = (conversation: Conversation) =>
  conversation.messages.flatMap(message => contentOf(message).map(block => block.type));

describe('the conversation', () => {
  it('marks the newest two user messages, and changes nothing else for it', () => {
    const conversation = conversationOf(['short', 'short', 'short']);
    const before = JSON.stringify(conversation.messages);
    const marked = toSend(conversation).map(message => JSON.stringify(message).includes('cache_control'));
    expect(marked).toEqual([false, false, false, false, true, false, true]);
    expect(JSON.stringify(conversation.messages)).toBe(before);
  });

  it('puts a text of ours that follows no answer into the last result', () => {
    const conversation = conversationOf(['short', 'picture']);
    say(conversation, 'user', [{ type: 'text', text: 'go on' }]);
    const sent = toSend(conversation);
    expect(sent).toHaveLength(5);
    expect(sent.at(-1)!.content).toMatchObject([{ content: [PICTURE, { type: 'text', text: 'go on' }] }]);
    expect(toSend(new Conversation([{ role: 'user', content: opening }, sent[0]!]))).toHaveLength(1);
  });

  it('keeps everything until enough is old', () => {
    expect(conversationOf(['picture', 'picture']).trim()).toBe(false);
    expect(conversationOf(['reading', 'reading']).trim()).toBe(false);
    expect(conversationOf(['short', 'short', 'short', 'short']).trim(true)).toBe(false);
  });

  it('takes old pictures and readings out at once, and the thinking that was bound to them', () => {
    const conversation = conversationOf(['short', 'reading', 'picture', 'reading', 'picture']);
    expect(conversation.trim()).toBe(true);
    const text = JSON.stringify(conversation.messages);
    expect(text.match(/"type":"image"/g)).toHaveLength(1);
    expect(text).toContain('(An earlier reading was here.');
    expect(text).not.toContain('xxx');
    // What was thought before the first removal, with all that it was based on, stays.
    expect(kindsOf(conversation).filter(kind => kind === 'thinking')).toHaveLength(2);
    expect(contentOf(conversation.messages[3])[0]!.type).toBe('thinking');
    expect(contentOf(conversation.messages.at(-1))[0]).toMatchObject({ content: [PICTURE] });
    expect(conversation.trim()).toBe(false);
  });

  it('takes all but the newest out where room is needed', () => {
    const conversation = conversationOf(['picture', 'reading', 'picture'], { atTokens: 1e9, keep: 3 });
    expect(conversation.trim()).toBe(false);
    expect(conversation.trim(true)).toBe(true);
    expect(JSON.stringify(conversation.messages).match(/"type":"image"/g)).toHaveLength(1);
  });
});
