import { HANDLING, type Fault } from '../kernel/index.ts';

/** An OperationOutcome for the error file. `of` names what the client may see, or says that it is not told. */
export const errorLine = ({ kind, code }: Pick<Fault, 'kind' | 'code'>, of: string, requestId: string): Buffer =>
  Buffer.from(
    `${JSON.stringify({
      resourceType: 'OperationOutcome',
      issue: [
        {
          severity: 'error',
          code: HANDLING[kind].issue,
          details: { coding: [{ system: 'urn:chartgate:fault', code }], text: HANDLING[kind].text },
          diagnostics: `${of}; request ${requestId}`,
        },
      ],
    })}\n`,
  );
