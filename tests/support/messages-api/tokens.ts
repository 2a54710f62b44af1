// Estimates the tokens of a request. The estimates are stable: the same block always counts the same.

/**
 * Tokens of a toolset with its default members:
 * https://platform.claude.com/docs/en/agents-and-tools/tool-use/browser-use-tool#pricing-and-data-retention and
 * https://platform.claude.com/docs/en/agents-and-tools/tool-use/computer-use-tool#pricing
 */
const TOOLSET_TOKENS = { browser_toolset_20260801: 6_600, computer_toolset_20260801: 4_500 } as const;

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json | undefined };
export type JsonObject = { [key: string]: Json | undefined };

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** What a cache mark is on, as it is without. */
export function withoutMarks(value: Json): Json {
  if (Array.isArray(value)) return value.map(withoutMarks);
  if (!isObject(value)) return value;
  const entries = Object.entries(value).filter(([key]) => key !== 'cache_control');
  return Object.fromEntries(entries.map(([key, entry]) => [key, withoutMarks(entry as Json)]));
}

export function textTokens(text: string): number {
  return Math.ceil(text.length / 3.5);
}

export interface ImageInfo {
  mediaType: 'image/png' | 'image/jpeg';
  width: number;
  height: number;
}

/** Type and size from the image's own header; undefined if it is neither PNG nor JPEG. */
export function imageInfo(bytes: Buffer): ImageInfo | undefined {
  if (bytes.length > 24 && bytes.readUInt32BE(0) === 0x89504e47)
    return { mediaType: 'image/png', width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
  if (bytes.length > 4 && bytes.readUInt16BE(0) === 0xffd8) return jpegInfo(bytes);
  return undefined;
}

function jpegInfo(bytes: Buffer): ImageInfo | undefined {
  let offset = 2;
  while (offset + 9 < bytes.length && bytes[offset] === 0xff) {
    const marker = bytes[offset + 1]!;
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame)
      return {
        mediaType: 'image/jpeg',
        width: bytes.readUInt16BE(offset + 7),
        height: bytes.readUInt16BE(offset + 5),
      };
    offset += 2 + bytes.readUInt16BE(offset + 2);
  }
  return undefined;
}

/** The size at which a model sees a picture: https://platform.claude.com/docs/en/build-with-claude/vision#evaluate-image-size */
export function sightOf(model: string): { edge: number; patches: number } {
  const before47 = /-4-[0-6]\b|(?:sonnet|haiku)-4/.test(model);
  return before47 ? { edge: 1_568, patches: 1_568 } : { edge: 2_576, patches: 4_784 };
}

/** Each square of 28 pixels is a token. */
export function patchesOf(width: number, height: number): number {
  return Math.ceil(width / 28) * Math.ceil(height / 28);
}

/** Tokens of a picture for models since Claude 4.7, once it is shrunk to the size that they see. */
export function imageTokens({ width, height }: { width: number; height: number }): number {
  const { edge, patches } = sightOf('');
  const shrink = Math.min(1, edge / Math.max(width, height));
  return Math.min(patches, patchesOf(Math.floor(width * shrink), Math.floor(height * shrink)));
}

export function toolTokens(tool: Json): number {
  const type = isObject(tool) ? tool.type : undefined;
  if (typeof type === 'string' && type in TOOLSET_TOKENS)
    return TOOLSET_TOKENS[type as keyof typeof TOOLSET_TOKENS];
  return textTokens(JSON.stringify(tool)) + 20;
}

export function blockTokens(block: Json): number {
  if (typeof block === 'string') return textTokens(block) + 3;
  if (!isObject(block)) return 0;
  if (block.type === 'image') {
    const source = block.source as { data?: string } | undefined;
    const info = imageInfo(Buffer.from(source?.data ?? '', 'base64'));
    return info ? imageTokens(info) : 0;
  }
  if (block.type === 'tool_result') {
    const content = block.content ?? [];
    const parts = Array.isArray(content) ? content : [content];
    return parts.reduce<number>((sum, part) => sum + blockTokens(part), 10);
  }
  const { cache_control: _, signature: __, ...rest } = block;
  return textTokens(JSON.stringify(rest)) + 3;
}
