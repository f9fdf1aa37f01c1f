/*
 * The journal of a bucket: how far blobs are that are not finished. Each call is one statement. The row of a blob is what its
 * calls wait for; its parts have a row each, so that one more of ten thousand writes one more.
 */
import { guard } from "./01-functions.ts"

const tables = (schema: string): string => `
  CREATE TABLE ${schema}.blobs (
    key text COLLATE "C" PRIMARY KEY,
    epoch bigint NOT NULL,
    -- The multipart upload; NULL: there is none.
    upload_id text,
    upload_ref text,
    direct_size bigint,
    -- Where the durable bytes end.
    stored bigint NOT NULL DEFAULT 0,
    tail text,
    is_finishing boolean NOT NULL DEFAULT false,
    hash bytea
  ) WITH (fillfactor = 70);
  CREATE TABLE ${schema}.blob_parts (
    key text COLLATE "C" NOT NULL,
    number integer NOT NULL,
    etag text NOT NULL,
    PRIMARY KEY (key, number)
  );
  -- Blobs that are to be removed again.
  CREATE TABLE ${schema}.late_removals (key text COLLATE "C" PRIMARY KEY, at bigint NOT NULL);
  CREATE INDEX late_removals_at ON ${schema}.late_removals (at, key);
  `

export const journal = (schema: string, versioned: string): string => `
  ${tables(schema)}
  -- A blob with all of its parts; NULL where there is none.
  CREATE FUNCTION ${versioned}.describe_blob(wanted text) RETURNS json LANGUAGE sql VOLATILE AS $$
    SELECT json_build_object('epoch', epoch, 'uploadId', upload_id, 'uploadRef', upload_ref, 'directSize', direct_size,
      'offset', stored, 'tail', tail, 'isFinishing', is_finishing, 'hash', encode(hash, 'hex'),
      'etags', (SELECT coalesce(json_agg(etag ORDER BY number), '[]') FROM blob_parts WHERE key = wanted))
    FROM blobs WHERE key = wanted $$;

  -- NULL where a newer epoch was seen.
  CREATE FUNCTION ${versioned}.claim_blob(wanted text, claiming bigint) RETURNS TABLE (answer json) LANGUAGE plpgsql AS $$
  #variable_conflict use_column
  BEGIN ${guard}
    INSERT INTO blobs AS b (key, epoch) VALUES (wanted, claiming)
    ON CONFLICT (key) DO UPDATE SET epoch = excluded.epoch WHERE b.epoch <= excluded.epoch;
    RETURN QUERY SELECT CASE WHEN FOUND THEN ${versioned}.describe_blob(wanted) END;
  END $$;

  -- Whether it was changed. What is no member of the changes stays.
  CREATE FUNCTION ${versioned}.change_blob(wanted text, writing bigint, changes json, added text[])
  RETURNS TABLE (answer boolean) LANGUAGE plpgsql AS $$
  #variable_conflict use_column
  DECLARE parts bigint; kept bigint; upload json := changes -> 'upload';
  BEGIN ${guard}
    PERFORM 1 FROM blobs WHERE key = wanted AND epoch <= writing FOR UPDATE;
    IF NOT FOUND THEN
      RETURN QUERY SELECT false;
      RETURN;
    END IF;
    parts := coalesce((SELECT max(number) FROM blob_parts WHERE key = wanted), 0);
    kept := least(parts, coalesce((changes ->> 'keep')::bigint, parts));
    IF kept < parts THEN DELETE FROM blob_parts WHERE key = wanted AND number > kept; END IF;
    INSERT INTO blob_parts (key, number, etag)
    SELECT wanted, kept + a.place, a.etag FROM unnest(added) WITH ORDINALITY AS a (etag, place);
    UPDATE blobs SET epoch = writing,
      upload_id = CASE WHEN upload IS NULL THEN upload_id ELSE upload ->> 'id' END,
      upload_ref = CASE WHEN upload IS NULL THEN upload_ref ELSE upload ->> 'ref' END,
      direct_size = CASE WHEN upload IS NULL THEN direct_size ELSE (upload ->> 'directSize')::bigint END,
      stored = coalesce((changes ->> 'offset')::bigint, stored),
      tail = CASE WHEN changes -> 'tail' IS NULL THEN tail ELSE changes ->> 'tail' END,
      is_finishing = coalesce((changes ->> 'isFinishing')::boolean, is_finishing),
      hash = CASE WHEN changes -> 'hash' IS NOT NULL THEN decode(changes ->> 'hash', 'hex')
        WHEN kept < parts OR cardinality(added) > 0 THEN NULL ELSE hash END
    WHERE key = wanted;
    RETURN QUERY SELECT true;
  END $$;

  -- False where a newer epoch was seen.
  CREATE FUNCTION ${versioned}.forget_blob(wanted text, forgetting bigint)
  RETURNS TABLE (answer boolean) LANGUAGE plpgsql AS $$
  #variable_conflict use_column
  BEGIN ${guard}
    DELETE FROM blobs WHERE key = wanted AND epoch <= forgetting;
    IF FOUND THEN DELETE FROM blob_parts WHERE key = wanted; END IF;
    RETURN QUERY SELECT NOT EXISTS (SELECT 1 FROM blobs WHERE key = wanted);
  END $$;
  `
