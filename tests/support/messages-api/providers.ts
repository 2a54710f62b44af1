// How other providers offer the Messages API: with the model in the path, another kind of key, and on Bedrock the answer in
// frames of AWS. https://platform.claude.com/docs/en/build-with-claude/claude-on-amazon-bedrock, .../claude-on-vertex-ai
import type { IncomingHttpHeaders } from 'node:http';
import { crc32 } from 'node:zlib';
import type { JsonObject } from './tokens';

export interface Provider {
  /** The request in the form of the vendor's own API. */
  request(body: JsonObject): JsonObject;
  key(headers: IncomingHttpHeaders): string | undefined;
  streamType: string;
  idHeader: string;
  /** @param events complete events, as the vendor streams them */
  framed(events: string): string | Buffer;
  refusal(type: string, message: string): JsonObject;
}

const bearer = ({ authorization }: IncomingHttpHeaders) => authorization?.replace(/^Bearer /, '');

const vendor: Omit<Provider, 'request'> = {
  key: headers => (headers['x-api-key'] as string | undefined) ?? bearer(headers),
  streamType: 'text/event-stream',
  idHeader: 'request-id',
  framed: events => events,
  refusal: (type, message) => ({ type: 'error', error: { type, message } }),
};

/** @returns undefined for an address of no provider */
export function providerAt(path: string): Provider | undefined {
  if (path === '/v1/messages') return { ...vendor, request: body => body };
  const bedrock = /^\/model\/([^/]+)\/invoke(-with-response-stream)?$/.exec(path);
  if (bedrock)
    return {
      request: moved(decodeURIComponent(bedrock[1]!), bedrock[2] !== undefined),
      // A signed request names its access key, another one has a token.
      key: headers => /Credential=([^/]+)\//.exec(headers.authorization ?? '')?.[1] ?? bearer(headers),
      streamType: 'application/vnd.amazon.eventstream',
      idHeader: 'x-amzn-requestid',
      framed: events => Buffer.concat(events.split('\n\n').filter(Boolean).map(frameOf)),
      refusal: (_, message) => ({ message }),
    };
  const vertex = /^\/projects\/[^/]+\/locations\/[^/]+\/publishers\/anthropic\/models\/([^/]+)$/.exec(path);
  const [model, method] = decodeURIComponent(vertex?.[1] ?? '').split(':');
  if (!method) return undefined;
  return { ...vendor, request: moved(model!, method === 'streamRawPredict'), key: bearer };
}

/** Moves the model from the path to the body. The version must be in the body, and the model must not. */
function moved(model: string, streamed: boolean) {
  return ({ anthropic_version, anthropic_beta: _, ...body }: JsonObject): JsonObject => {
    if (!anthropic_version) throw new Error('anthropic_version: Field required');
    if ('model' in body) throw new Error('model: Extra inputs are not permitted');
    return { ...body, model, ...(streamed && { stream: true }) };
  };
}

/** https://docs.aws.amazon.com/transcribe/latest/dg/event-stream.html */
function frameOf(event: string): Buffer {
  const data = JSON.parse(event.slice(event.indexOf('data:') + 'data:'.length)) as JsonObject;
  const { type, message } = (data.error ?? {}) as { type?: string; message?: string };
  const about = { ':content-type': 'application/json' };
  return type
    ? frame({ ...about, ':message-type': 'exception', ':exception-type': type }, { message })
    : frame(
        { ...about, ':message-type': 'event', ':event-type': 'chunk' },
        { bytes: Buffer.from(JSON.stringify(data)).toString('base64') },
      );
}

function frame(about: Record<string, string>, payload: JsonObject): Buffer {
  const headers = Buffer.concat(
    Object.entries(about).flatMap(([name, value]) => [
      Buffer.from([name.length]),
      Buffer.from(name),
      Buffer.from([7, 0, value.length]),
      Buffer.from(value),
    ]),
  );
  const body = Buffer.from(JSON.stringify(payload));
  const prelude = Buffer.concat([uint32(headers.length + body.length + 16), uint32(headers.length)]);
  const all = Buffer.concat([prelude, uint32(crc32(prelude)), headers, body]);
  return Buffer.concat([all, uint32(crc32(all))]);
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}
