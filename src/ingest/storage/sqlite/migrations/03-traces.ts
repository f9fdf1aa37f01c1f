/** Callbacks continue the trace of the request that registered them; dead events are counted. */
export const traces = `
  ALTER TABLE registrations ADD COLUMN traceparent TEXT;
  ALTER TABLE registrations ADD COLUMN tracestate TEXT;
  CREATE INDEX deliveries_dead ON deliveries (file_id) WHERE status = 'dead';
  `
