-- Schema db2: what statements of Db2 use after they were rewritten.
-- Character data is bpchar: blanks at the end are kept and compare as nothing.
CREATE SCHEMA IF NOT EXISTS db2;
CREATE SCHEMA IF NOT EXISTS "SYSIBM";

-- Raises an error inside an expression.
CREATE OR REPLACE FUNCTION db2.raise(code text, message text) RETURNS bpchar LANGUAGE plpgsql AS
$$ BEGIN RAISE EXCEPTION USING ERRCODE = code, MESSAGE = message; END $$;

-- A text with the blanks at its end, which a cast of bpchar to text loses.
CREATE OR REPLACE FUNCTION db2.text(s bpchar) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS
$$ SELECT textin(bpcharout(s)) $$;

CREATE OR REPLACE FUNCTION db2.concat(a bpchar, b bpchar) RETURNS bpchar LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS
$$ SELECT (textin(bpcharout(a)) || textin(bpcharout(b)))::bpchar $$;

-- Blanks beyond a column's length are left out; other characters stay and are refused.
CREATE OR REPLACE FUNCTION db2.fit(s bpchar, n int) RETURNS bpchar LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS
$$ SELECT CASE WHEN length(textin(bpcharout(s))) <= n THEN s ELSE rpad(s::text, greatest(length(s::text), n))::bpchar END $$;

-- LENGTH
CREATE OR REPLACE FUNCTION db2.length(s bpchar) RETURNS int LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS
$$ SELECT length(textin(bpcharout(s))) $$;
CREATE OR REPLACE FUNCTION db2.length(s bytea) RETURNS int LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$ SELECT octet_length(s) $$;
CREATE OR REPLACE FUNCTION db2.length(s int2) RETURNS int LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$ SELECT 2 $$;
CREATE OR REPLACE FUNCTION db2.length(s int4) RETURNS int LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$ SELECT 4 $$;
CREATE OR REPLACE FUNCTION db2.length(s int8) RETURNS int LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$ SELECT 8 $$;
CREATE OR REPLACE FUNCTION db2.length(s float8) RETURNS int LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$ SELECT 8 $$;
CREATE OR REPLACE FUNCTION db2.length(s float4) RETURNS int LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$ SELECT 4 $$;
CREATE OR REPLACE FUNCTION db2.length(s numeric, bytes int) RETURNS int LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$ SELECT bytes $$;
CREATE OR REPLACE FUNCTION db2.length(s date) RETURNS int LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$ SELECT 4 $$;
CREATE OR REPLACE FUNCTION db2.length(s time) RETURNS int LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$ SELECT 3 $$;
CREATE OR REPLACE FUNCTION db2.length(s timestamp) RETURNS int LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$ SELECT 10 $$;
CREATE OR REPLACE FUNCTION db2.character_length(s bpchar) RETURNS int LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS
$$ SELECT length(textin(bpcharout(s))) $$;

-- SUBSTR: the last argument is the greatest length of the text, 0 if it is not known.
CREATE OR REPLACE FUNCTION db2.substr(s bpchar, start bigint, len bigint, most int) RETURNS bpchar LANGUAGE sql IMMUTABLE STRICT AS
$$ SELECT CASE WHEN start < 1 OR len < 0 OR (most > 0 AND start + len - 1 > most)
   THEN db2.raise('22011', 'SUBSTR: start or length out of range')
   ELSE rpad(substr(textin(bpcharout(s)), start::int, len::int), len::int)::bpchar END $$;
CREATE OR REPLACE FUNCTION db2.substr(s bpchar, start bigint, most int) RETURNS bpchar LANGUAGE sql IMMUTABLE STRICT AS
$$ SELECT CASE WHEN start < 1 OR (most > 0 AND start > most)
   THEN db2.raise('22011', 'SUBSTR: start out of range')
   ELSE substr(textin(bpcharout(s)), start::int)::bpchar END $$;
CREATE OR REPLACE FUNCTION db2."left"(s bpchar, n bigint) RETURNS bpchar LANGUAGE sql IMMUTABLE STRICT AS
$$ SELECT CASE WHEN n < 0 THEN db2.raise('22011', 'LEFT: length out of range')
   ELSE rpad("left"(textin(bpcharout(s)), n::int), n::int)::bpchar END $$;
CREATE OR REPLACE FUNCTION db2."right"(s bpchar, n bigint) RETURNS bpchar LANGUAGE sql IMMUTABLE STRICT AS
$$ SELECT CASE WHEN n < 0 THEN db2.raise('22011', 'RIGHT: length out of range')
   ELSE "right"(textin(bpcharout(s)), n::int)::bpchar END $$;

CREATE OR REPLACE FUNCTION db2.strip(s bpchar, side text, what bpchar) RETURNS bpchar LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS
$$ SELECT CASE side WHEN 'L' THEN ltrim(textin(bpcharout(s)), textin(bpcharout(what)))
   WHEN 'T' THEN rtrim(textin(bpcharout(s)), textin(bpcharout(what)))
   ELSE btrim(textin(bpcharout(s)), textin(bpcharout(what))) END::bpchar $$;
CREATE OR REPLACE FUNCTION db2.trim(s bpchar) RETURNS bpchar LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS
$$ SELECT btrim(textin(bpcharout(s)))::bpchar $$;
CREATE OR REPLACE FUNCTION db2.ltrim(s bpchar) RETURNS bpchar LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS
$$ SELECT ltrim(textin(bpcharout(s)))::bpchar $$;
CREATE OR REPLACE FUNCTION db2.rtrim(s bpchar) RETURNS bpchar LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS
$$ SELECT rtrim(textin(bpcharout(s)))::bpchar $$;
CREATE OR REPLACE FUNCTION db2.replace(s bpchar, a bpchar, b bpchar) RETURNS bpchar LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS
$$ SELECT replace(textin(bpcharout(s)), textin(bpcharout(a)), textin(bpcharout(b)))::bpchar $$;
-- Operands of TRANSLATE are text, to, from, padding.
CREATE OR REPLACE FUNCTION db2.translate(s bpchar, tos bpchar, froms bpchar, pad bpchar DEFAULT ' ') RETURNS bpchar
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS
$$ SELECT translate(textin(bpcharout(s)), textin(bpcharout(froms)),
   rpad(textin(bpcharout(tos)), length(textin(bpcharout(froms))), textin(bpcharout(pad))))::bpchar $$;
CREATE OR REPLACE FUNCTION db2.overlay(s bpchar, ins bpchar, start bigint, len bigint) RETURNS bpchar LANGUAGE sql IMMUTABLE STRICT AS
$$ SELECT overlay(textin(bpcharout(s)) placing textin(bpcharout(ins)) from start::int for len::int)::bpchar $$;
CREATE OR REPLACE FUNCTION db2.overlay(s bpchar, ins bpchar, start bigint) RETURNS bpchar LANGUAGE sql IMMUTABLE STRICT AS
$$ SELECT overlay(textin(bpcharout(s)) placing textin(bpcharout(ins)) from start::int)::bpchar $$;
CREATE OR REPLACE FUNCTION db2.insert(s bpchar, start bigint, len bigint, ins bpchar) RETURNS bpchar LANGUAGE sql IMMUTABLE STRICT AS
$$ SELECT overlay(textin(bpcharout(s)) placing textin(bpcharout(ins)) from start::int for len::int)::bpchar $$;
CREATE OR REPLACE FUNCTION db2.lpad(s bpchar, n bigint, pad bpchar DEFAULT ' ') RETURNS bpchar LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS
$$ SELECT lpad(textin(bpcharout(s)), n::int, textin(bpcharout(pad)))::bpchar $$;
CREATE OR REPLACE FUNCTION db2.rpad(s bpchar, n bigint, pad bpchar DEFAULT ' ') RETURNS bpchar LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS
$$ SELECT rpad(textin(bpcharout(s)), n::int, textin(bpcharout(pad)))::bpchar $$;
CREATE OR REPLACE FUNCTION db2.repeat(s bpchar, n bigint) RETURNS bpchar LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS
$$ SELECT repeat(textin(bpcharout(s)), n::int)::bpchar $$;
CREATE OR REPLACE FUNCTION db2.space(n bigint) RETURNS bpchar LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS
$$ SELECT repeat(' ', n::int)::bpchar $$;
CREATE OR REPLACE FUNCTION db2.upper(s bpchar) RETURNS bpchar LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS
$$ SELECT upper(textin(bpcharout(s)))::bpchar $$;
CREATE OR REPLACE FUNCTION db2.ucase(s bpchar) RETURNS bpchar LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS
$$ SELECT upper(textin(bpcharout(s)))::bpchar $$;
CREATE OR REPLACE FUNCTION db2.lower(s bpchar) RETURNS bpchar LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS
$$ SELECT lower(textin(bpcharout(s)))::bpchar $$;
CREATE OR REPLACE FUNCTION db2.lcase(s bpchar) RETURNS bpchar LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS
$$ SELECT lower(textin(bpcharout(s)))::bpchar $$;

-- Positions. LOCATE and POSITION name what is looked for first, the others last.
CREATE OR REPLACE FUNCTION db2.locate_from(hay text, pin text, start int) RETURNS int LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS
$$ SELECT CASE WHEN strpos(substr(hay, start), pin) = 0 THEN 0 ELSE strpos(substr(hay, start), pin) + start - 1 END $$;
CREATE OR REPLACE FUNCTION db2.posstr(s bpchar, p bpchar) RETURNS int LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS
$$ SELECT strpos(textin(bpcharout(s)), textin(bpcharout(p))) $$;
CREATE OR REPLACE FUNCTION db2.locate(p bpchar, s bpchar, start bigint DEFAULT 1) RETURNS int LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS
$$ SELECT db2.locate_from(textin(bpcharout(s)), textin(bpcharout(p)), start::int) $$;
CREATE OR REPLACE FUNCTION db2."position"(p bpchar, s bpchar) RETURNS int LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS
$$ SELECT strpos(textin(bpcharout(s)), textin(bpcharout(p))) $$;
CREATE OR REPLACE FUNCTION db2.locate_in_string(s bpchar, p bpchar, start bigint DEFAULT 1, instance bigint DEFAULT 1) RETURNS int
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS
$$ DECLARE hay text := textin(bpcharout(s)); pin text := textin(bpcharout(p)); at int := start::int; found int := 0; n int := 0;
BEGIN
  IF pin = '' OR instance < 1 THEN RETURN 0; END IF;
  IF start < 0 THEN
    at := length(hay) + at + 1;
    WHILE at >= 1 LOOP
      IF substr(hay, at, length(pin)) = pin THEN n := n + 1; IF n = instance THEN RETURN at; END IF; END IF;
      at := at - 1;
    END LOOP;
    RETURN 0;
  END IF;
  LOOP
    found := db2.locate_from(hay, pin, greatest(at, 1));
    IF found = 0 THEN RETURN 0; END IF;
    n := n + 1;
    IF n = instance THEN RETURN found; END IF;
    at := found + 1;
  END LOOP;
END $$;
CREATE OR REPLACE FUNCTION db2.instr(s bpchar, p bpchar, start bigint DEFAULT 1, instance bigint DEFAULT 1) RETURNS int
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$ SELECT db2.locate_in_string(s, p, start, instance) $$;
CREATE OR REPLACE FUNCTION db2.chr(n bigint) RETURNS bpchar LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS
$$ SELECT CASE WHEN n = 0 THEN chr(1) WHEN n = 1 THEN chr(256) ELSE chr((n % 256)::int) END::bpchar $$;
CREATE OR REPLACE FUNCTION db2.ascii(s bpchar) RETURNS int LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS
$$ SELECT ascii(textin(bpcharout(s))) $$;

-- HEX: of a date, time or timestamp its packed digits.
CREATE OR REPLACE FUNCTION db2.hex(s bpchar) RETURNS bpchar LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS
$$ SELECT upper(encode(convert_to(textin(bpcharout(s)), 'LATIN1'), 'hex'))::bpchar $$;
CREATE OR REPLACE FUNCTION db2.hex(s bytea) RETURNS bpchar LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$ SELECT upper(encode(s, 'hex'))::bpchar $$;
CREATE OR REPLACE FUNCTION db2.hex(s date) RETURNS bpchar LANGUAGE sql STABLE STRICT PARALLEL SAFE AS $$ SELECT to_char(s, 'YYYYMMDD')::bpchar $$;
CREATE OR REPLACE FUNCTION db2.hex(s time) RETURNS bpchar LANGUAGE sql STABLE STRICT PARALLEL SAFE AS $$ SELECT to_char(s, 'HH24MISS')::bpchar $$;
CREATE OR REPLACE FUNCTION db2.hex(s timestamp) RETURNS bpchar LANGUAGE sql STABLE STRICT PARALLEL SAFE AS $$ SELECT to_char(s, 'YYYYMMDDHH24MISSUS')::bpchar $$;
CREATE OR REPLACE FUNCTION db2.hex(s int2) RETURNS bpchar LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$ SELECT upper(encode(int2send(s), 'hex'))::bpchar $$;
CREATE OR REPLACE FUNCTION db2.hex(s int4) RETURNS bpchar LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$ SELECT upper(encode(int4send(s), 'hex'))::bpchar $$;
CREATE OR REPLACE FUNCTION db2.hex(s int8) RETURNS bpchar LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$ SELECT upper(encode(int8send(s), 'hex'))::bpchar $$;

CREATE OR REPLACE FUNCTION db2.digits(n numeric, p int, s int) RETURNS bpchar LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS
$$ SELECT lpad(trunc(abs(n) * (10::numeric ^ s))::text, p, '0')::bpchar $$;

-- CHAR and VARCHAR.
CREATE OR REPLACE FUNCTION db2."char"(s bpchar, n bigint) RETURNS bpchar LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS
$$ SELECT rpad(textin(bpcharout(s)), n::int)::bpchar $$;
CREATE OR REPLACE FUNCTION db2."char"(s text, n bigint) RETURNS bpchar LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS
$$ SELECT rpad(s, n::int)::bpchar $$;
CREATE OR REPLACE FUNCTION db2."char"(n numeric, p int, s int) RETURNS bpchar LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS
$$ SELECT (CASE WHEN n < 0 THEN '-' ELSE ' ' END || lpad(trunc(abs(n))::text, p - s, '0') || '.' ||
   CASE WHEN s > 0 THEN lpad(((abs(n) - trunc(abs(n))) * (10::numeric ^ s))::bigint::text, s, '0') ELSE '' END)::bpchar $$;
CREATE OR REPLACE FUNCTION db2."char"(d date, style text DEFAULT 'ISO') RETURNS bpchar LANGUAGE sql STABLE STRICT PARALLEL SAFE AS
$$ SELECT to_char(d, CASE upper(style) WHEN 'USA' THEN 'MM/DD/YYYY' WHEN 'EUR' THEN 'DD.MM.YYYY' ELSE 'YYYY-MM-DD' END)::bpchar $$;
CREATE OR REPLACE FUNCTION db2."char"(t time, style text DEFAULT 'ISO') RETURNS bpchar LANGUAGE sql STABLE STRICT PARALLEL SAFE AS
$$ SELECT CASE WHEN upper(style) = 'USA' THEN to_char(t, 'HH12:MI AM')
   WHEN t = '24:00:00' THEN CASE upper(style) WHEN 'JIS' THEN '24:00:00' ELSE '24.00.00' END
   ELSE to_char(t, CASE upper(style) WHEN 'JIS' THEN 'HH24:MI:SS' ELSE 'HH24.MI.SS' END) END::bpchar $$;
CREATE OR REPLACE FUNCTION db2."char"(t timestamp, style text DEFAULT 'ISO') RETURNS bpchar LANGUAGE sql STABLE STRICT PARALLEL SAFE AS
$$ SELECT to_char(t, 'YYYY-MM-DD-HH24.MI.SS.US')::bpchar $$;
CREATE OR REPLACE FUNCTION db2."char"(n numeric) RETURNS bpchar LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$ SELECT n::text::bpchar $$;
CREATE OR REPLACE FUNCTION db2."char"(s bpchar) RETURNS bpchar LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$ SELECT s $$;
CREATE OR REPLACE FUNCTION db2.varchar(s bpchar) RETURNS bpchar LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$ SELECT s $$;
CREATE OR REPLACE FUNCTION db2.varchar(s bpchar, n bigint) RETURNS bpchar LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS
$$ SELECT substr(textin(bpcharout(s)), 1, n::int)::bpchar $$;
CREATE OR REPLACE FUNCTION db2.varchar(n numeric) RETURNS bpchar LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$ SELECT n::text::bpchar $$;
CREATE OR REPLACE FUNCTION db2.varchar(n int8) RETURNS bpchar LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$ SELECT n::text::bpchar $$;
-- A floating-point number: a digit, a point, the other digits, E and the exponent.
CREATE OR REPLACE FUNCTION db2.float_text(shown text) RETURNS bpchar LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS
$$ DECLARE
  exact text := trim_scale(abs(shown::numeric))::text;
  digits text := ltrim(replace(exact, '.', ''), '0');
  exponent int := length(split_part(exact, '.', 1)) - 1;
BEGIN
  IF digits = '' THEN RETURN '0E0'; END IF;
  IF exact LIKE '0.%' THEN exponent := length(digits) - length(split_part(exact, '.', 2)) - 1; END IF;
  RETURN CASE WHEN shown LIKE '-%' THEN '-' ELSE '' END || left(digits, 1) || '.' ||
    coalesce(nullif(rtrim(substr(digits, 2), '0'), ''), '0') || 'E' || exponent;
END $$;
CREATE OR REPLACE FUNCTION db2.varchar(n float8) RETURNS bpchar LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$ SELECT db2.float_text(n::text) $$;
CREATE OR REPLACE FUNCTION db2.varchar(n float4) RETURNS bpchar LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$ SELECT db2.float_text(n::text) $$;
CREATE OR REPLACE FUNCTION db2.varchar(d date) RETURNS bpchar LANGUAGE sql STABLE STRICT PARALLEL SAFE AS $$ SELECT db2."char"(d, 'ISO') $$;
CREATE OR REPLACE FUNCTION db2.varchar(d timestamp) RETURNS bpchar LANGUAGE sql STABLE STRICT PARALLEL SAFE AS $$ SELECT db2."char"(d, 'ISO') $$;

-- DATE, TIME, TIMESTAMP of texts in every form, and of each other.
CREATE OR REPLACE FUNCTION db2.date(s bpchar) RETURNS date LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS
$$ DECLARE t text := btrim(s::text); BEGIN
  IF t ~ '^\d{4}-\d{1,2}-\d{1,2}$' THEN RETURN make_date(split_part(t, '-', 1)::int, split_part(t, '-', 2)::int, split_part(t, '-', 3)::int); END IF;
  IF t ~ '^\d{1,2}/\d{1,2}/\d{4}$' THEN RETURN make_date(split_part(t, '/', 3)::int, split_part(t, '/', 1)::int, split_part(t, '/', 2)::int); END IF;
  IF t ~ '^\d{1,2}\.\d{1,2}\.\d{4}$' THEN RETURN make_date(split_part(t, '.', 3)::int, split_part(t, '.', 2)::int, split_part(t, '.', 1)::int); END IF;
  IF t ~ '^\d{7}$' THEN RETURN make_date(substr(t, 1, 4)::int, 1, 1) + (substr(t, 5)::int - 1); END IF;
  IF length(t) >= 19 THEN RETURN make_date(substr(t, 1, 4)::int, substr(t, 6, 2)::int, substr(t, 9, 2)::int); END IF;
  RAISE EXCEPTION USING ERRCODE = '22007', MESSAGE = 'the text is no date';
END $$;
CREATE OR REPLACE FUNCTION db2.date(t timestamp) RETURNS date LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$ SELECT t::date $$;
CREATE OR REPLACE FUNCTION db2.date(d date) RETURNS date LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$ SELECT d $$;
CREATE OR REPLACE FUNCTION db2.date(n numeric) RETURNS date LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS
$$ SELECT date '0001-01-01' + (trunc(n)::int - 1) $$;
CREATE OR REPLACE FUNCTION db2.time(s bpchar) RETURNS time LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS
$$ DECLARE t text := upper(btrim(s::text)); BEGIN
  IF t ~ '^\d{1,2}[.:]\d{2}$' THEN t := t || '.00'; END IF;
  IF t ~ '^\d{1,2}[.:]\d{2}[.:]\d{2}$' THEN RETURN replace(t, '.', ':')::time; END IF;
  IF t ~ '^\d{1,2}(:\d{2})? ?[AP]M$' THEN RETURN t::time; END IF;
  IF length(t) >= 19 THEN RETURN replace(substr(t, 12, 8), '.', ':')::time; END IF;
  RAISE EXCEPTION USING ERRCODE = '22007', MESSAGE = 'the text is no time';
END $$;
CREATE OR REPLACE FUNCTION db2.time(t timestamp) RETURNS time LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$ SELECT t::time(0) $$;
CREATE OR REPLACE FUNCTION db2.time(t time) RETURNS time LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$ SELECT t $$;
CREATE OR REPLACE FUNCTION db2.timestamp(s bpchar) RETURNS timestamp LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS
$$ DECLARE t text := btrim(s::text); BEGIN
  IF length(t) <= 10 THEN RETURN db2.date(t::bpchar)::timestamp; END IF;
  IF t ~ '^\d{14}' THEN
    RETURN make_timestamp(substr(t, 1, 4)::int, substr(t, 5, 2)::int, substr(t, 7, 2)::int, substr(t, 9, 2)::int,
      substr(t, 11, 2)::int, substr(t, 13, 2)::int);
  END IF;
  IF t !~ '^\d{4}-\d{2}-\d{2}[- T]\d{1,2}[.:]\d{2}[.:]\d{2}(\.\d{0,12})?$' THEN
    RAISE EXCEPTION USING ERRCODE = '22007', MESSAGE = 'the text is no timestamp';
  END IF;
  RETURN (substr(t, 1, 10) || ' ' || replace(substr(t, 12, 8), '.', ':') || substr(substr(t, 20), 1, 7))::timestamp;
END $$;
CREATE OR REPLACE FUNCTION db2.timestamp(t timestamp) RETURNS timestamp LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$ SELECT t $$;
CREATE OR REPLACE FUNCTION db2.timestamp(d date) RETURNS timestamp LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$ SELECT d::timestamp $$;
CREATE OR REPLACE FUNCTION db2.timestamp(d date, t time) RETURNS timestamp LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$ SELECT d + t $$;
CREATE OR REPLACE FUNCTION db2.timestamp(d bpchar, t bpchar) RETURNS timestamp LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS
$$ SELECT db2.date(d) + db2.time(t) $$;

-- Parts of dates and times. A number is a decimal duration.
CREATE OR REPLACE FUNCTION db2.year(d date) RETURNS int LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$ SELECT extract(year FROM d)::int $$;
CREATE OR REPLACE FUNCTION db2.year(d timestamp) RETURNS int LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$ SELECT extract(year FROM d)::int $$;
CREATE OR REPLACE FUNCTION db2.year(d bpchar) RETURNS int LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$ SELECT extract(year FROM db2.timestamp(d))::int $$;
CREATE OR REPLACE FUNCTION db2.year(d numeric) RETURNS int LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$ SELECT trunc(d / 10000)::int $$;
CREATE OR REPLACE FUNCTION db2.month(d date) RETURNS int LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$ SELECT extract(month FROM d)::int $$;
CREATE OR REPLACE FUNCTION db2.month(d timestamp) RETURNS int LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$ SELECT extract(month FROM d)::int $$;
CREATE OR REPLACE FUNCTION db2.month(d bpchar) RETURNS int LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$ SELECT extract(month FROM db2.timestamp(d))::int $$;
CREATE OR REPLACE FUNCTION db2.month(d numeric) RETURNS int LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$ SELECT (trunc(d / 100)::bigint % 100)::int $$;
CREATE OR REPLACE FUNCTION db2.day(d date) RETURNS int LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$ SELECT extract(day FROM d)::int $$;
CREATE OR REPLACE FUNCTION db2.day(d timestamp) RETURNS int LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$ SELECT extract(day FROM d)::int $$;
CREATE OR REPLACE FUNCTION db2.day(d bpchar) RETURNS int LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$ SELECT extract(day FROM db2.timestamp(d))::int $$;
CREATE OR REPLACE FUNCTION db2.day(d numeric) RETURNS int LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$ SELECT (trunc(d)::bigint % 100)::int $$;
CREATE OR REPLACE FUNCTION db2.dayofmonth(d date) RETURNS int LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$ SELECT extract(day FROM d)::int $$;
CREATE OR REPLACE FUNCTION db2.dayofmonth(d timestamp) RETURNS int LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$ SELECT extract(day FROM d)::int $$;
CREATE OR REPLACE FUNCTION db2.hour(d time) RETURNS int LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$ SELECT extract(hour FROM d)::int $$;
CREATE OR REPLACE FUNCTION db2.hour(d timestamp) RETURNS int LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$ SELECT extract(hour FROM d)::int $$;
CREATE OR REPLACE FUNCTION db2.hour(d bpchar) RETURNS int LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$ SELECT extract(hour FROM db2.time(d))::int $$;
CREATE OR REPLACE FUNCTION db2.minute(d time) RETURNS int LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$ SELECT extract(minute FROM d)::int $$;
CREATE OR REPLACE FUNCTION db2.minute(d timestamp) RETURNS int LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$ SELECT extract(minute FROM d)::int $$;
CREATE OR REPLACE FUNCTION db2.minute(d bpchar) RETURNS int LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$ SELECT extract(minute FROM db2.time(d))::int $$;
CREATE OR REPLACE FUNCTION db2.second(d time) RETURNS int LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$ SELECT floor(extract(second FROM d))::int $$;
CREATE OR REPLACE FUNCTION db2.second(d timestamp) RETURNS int LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$ SELECT floor(extract(second FROM d))::int $$;
CREATE OR REPLACE FUNCTION db2.second(d bpchar) RETURNS int LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$ SELECT floor(extract(second FROM db2.time(d)))::int $$;
CREATE OR REPLACE FUNCTION db2.microsecond(d timestamp) RETURNS int LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS
$$ SELECT (extract(microseconds FROM d)::bigint % 1000000)::int $$;
CREATE OR REPLACE FUNCTION db2.days(d date) RETURNS int LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$ SELECT (d - date '0001-01-01') + 1 $$;
CREATE OR REPLACE FUNCTION db2.days(d timestamp) RETURNS int LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$ SELECT (d::date - date '0001-01-01') + 1 $$;
CREATE OR REPLACE FUNCTION db2.days(d bpchar) RETURNS int LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$ SELECT (db2.date(d) - date '0001-01-01') + 1 $$;
CREATE OR REPLACE FUNCTION db2.julian_day(d date) RETURNS int LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$ SELECT (d - date '2000-01-01') + 2451545 $$;
CREATE OR REPLACE FUNCTION db2.julian_day(d timestamp) RETURNS int LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$ SELECT db2.julian_day(d::date) $$;
CREATE OR REPLACE FUNCTION db2.dayofweek(d date) RETURNS int LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$ SELECT extract(dow FROM d)::int + 1 $$;
CREATE OR REPLACE FUNCTION db2.dayofweek(d timestamp) RETURNS int LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$ SELECT extract(dow FROM d)::int + 1 $$;
CREATE OR REPLACE FUNCTION db2.dayofweek_iso(d date) RETURNS int LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$ SELECT extract(isodow FROM d)::int $$;
CREATE OR REPLACE FUNCTION db2.dayofweek_iso(d timestamp) RETURNS int LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$ SELECT extract(isodow FROM d)::int $$;
CREATE OR REPLACE FUNCTION db2.dayofyear(d date) RETURNS int LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$ SELECT extract(doy FROM d)::int $$;
CREATE OR REPLACE FUNCTION db2.dayofyear(d timestamp) RETURNS int LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$ SELECT extract(doy FROM d)::int $$;
-- WEEK: weeks begin on Sunday, the first is that of 1 January.
CREATE OR REPLACE FUNCTION db2.week(d date) RETURNS int LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS
$$ SELECT (extract(doy FROM d)::int + 6 + extract(dow FROM date_trunc('year', d))::int) / 7 $$;
CREATE OR REPLACE FUNCTION db2.week(d timestamp) RETURNS int LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$ SELECT db2.week(d::date) $$;
CREATE OR REPLACE FUNCTION db2.week_iso(d date) RETURNS int LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$ SELECT extract(week FROM d)::int $$;
CREATE OR REPLACE FUNCTION db2.week_iso(d timestamp) RETURNS int LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$ SELECT extract(week FROM d)::int $$;
CREATE OR REPLACE FUNCTION db2.quarter(d date) RETURNS int LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$ SELECT extract(quarter FROM d)::int $$;
CREATE OR REPLACE FUNCTION db2.quarter(d timestamp) RETURNS int LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$ SELECT extract(quarter FROM d)::int $$;
CREATE OR REPLACE FUNCTION db2.midnight_seconds(d time) RETURNS int LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$ SELECT floor(extract(epoch FROM d))::int $$;
CREATE OR REPLACE FUNCTION db2.midnight_seconds(d timestamp) RETURNS int LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$ SELECT floor(extract(epoch FROM d::time))::int $$;
CREATE OR REPLACE FUNCTION db2.last_day(d date) RETURNS date LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS
$$ SELECT (date_trunc('month', d::timestamp) + interval '1 month - 1 day')::date $$;
CREATE OR REPLACE FUNCTION db2.last_day(d timestamp) RETURNS timestamp LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS
$$ SELECT db2.last_day(d::date) + d::time $$;
CREATE OR REPLACE FUNCTION db2.last_day(d bpchar) RETURNS date LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$ SELECT db2.last_day(db2.date(d)) $$;
-- ADD_MONTHS keeps the last day of a month.
CREATE OR REPLACE FUNCTION db2.add_months(d date, n bigint) RETURNS date LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS
$$ SELECT CASE WHEN d = db2.last_day(d) THEN db2.last_day((d + make_interval(months => n::int))::date)
   ELSE (d + make_interval(months => n::int))::date END $$;
CREATE OR REPLACE FUNCTION db2.add_months(d timestamp, n bigint) RETURNS timestamp LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS
$$ SELECT db2.add_months(d::date, n) + d::time $$;
CREATE OR REPLACE FUNCTION db2.next_day(d date, day bpchar) RETURNS date LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS
$$ SELECT d + (((array_position(ARRAY['SUN','MON','TUE','WED','THU','FRI','SAT'],
   upper(substr(btrim(day::text), 1, 3))) - 1 - extract(dow FROM d)::int + 6) % 7) + 1) $$;
CREATE OR REPLACE FUNCTION db2.months_between(a date, b date) RETURNS numeric LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS
$$ SELECT trunc(((extract(year FROM a) - extract(year FROM b)) * 12 + extract(month FROM a) - extract(month FROM b) +
   CASE WHEN extract(day FROM a) = extract(day FROM b) OR (a = db2.last_day(a) AND b = db2.last_day(b)) THEN 0
   ELSE (extract(day FROM a) - extract(day FROM b)) / 31.0 END)::numeric, 15) $$;
CREATE OR REPLACE FUNCTION db2.months_between(a timestamp, b timestamp) RETURNS numeric LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS
$$ SELECT db2.months_between(a::date, b::date) $$;

-- A date or timestamp that is a text.
CREATE OR REPLACE FUNCTION db2.dayofmonth(d bpchar) RETURNS int LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$ SELECT db2.dayofmonth(db2.timestamp(d)) $$;
CREATE OR REPLACE FUNCTION db2.microsecond(d bpchar) RETURNS int LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$ SELECT db2.microsecond(db2.timestamp(d)) $$;
CREATE OR REPLACE FUNCTION db2.julian_day(d bpchar) RETURNS int LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$ SELECT db2.julian_day(db2.timestamp(d)) $$;
CREATE OR REPLACE FUNCTION db2.dayofweek(d bpchar) RETURNS int LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$ SELECT db2.dayofweek(db2.timestamp(d)) $$;
CREATE OR REPLACE FUNCTION db2.dayofweek_iso(d bpchar) RETURNS int LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$ SELECT db2.dayofweek_iso(db2.timestamp(d)) $$;
CREATE OR REPLACE FUNCTION db2.dayofyear(d bpchar) RETURNS int LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$ SELECT db2.dayofyear(db2.timestamp(d)) $$;
CREATE OR REPLACE FUNCTION db2.week(d bpchar) RETURNS int LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$ SELECT db2.week(db2.timestamp(d)) $$;
CREATE OR REPLACE FUNCTION db2.week_iso(d bpchar) RETURNS int LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$ SELECT db2.week_iso(db2.timestamp(d)) $$;
CREATE OR REPLACE FUNCTION db2.quarter(d bpchar) RETURNS int LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$ SELECT db2.quarter(db2.timestamp(d)) $$;
CREATE OR REPLACE FUNCTION db2.midnight_seconds(d bpchar) RETURNS int LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$ SELECT db2.midnight_seconds(db2.time(d)) $$;
CREATE OR REPLACE FUNCTION db2.add_months(d bpchar, n bigint) RETURNS date LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$ SELECT db2.add_months(db2.date(d), n) $$;
CREATE OR REPLACE FUNCTION db2.next_day(d bpchar, day bpchar) RETURNS date LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$ SELECT db2.next_day(db2.date(d), day) $$;
CREATE OR REPLACE FUNCTION db2.months_between(a bpchar, b bpchar) RETURNS numeric LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS
$$ SELECT db2.months_between(db2.date(a), db2.date(b)) $$;

-- Differences are decimal durations: yyyymmdd, hhmmss, yyyymmddhhmmss.
CREATE OR REPLACE FUNCTION db2.date_difference(a date, b date) RETURNS numeric LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS
$$ SELECT (extract(year FROM age(a, b)) * 10000 + extract(month FROM age(a, b)) * 100 + extract(day FROM age(a, b)))::numeric(8,0) $$;
CREATE OR REPLACE FUNCTION db2.time_difference(a time, b time) RETURNS numeric LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS
$$ SELECT (sign(extract(epoch FROM a - b)) * (floor(abs(extract(epoch FROM a - b)) / 3600) * 10000 +
   floor(abs(extract(epoch FROM a - b)) / 60)::bigint % 60 * 100 + floor(abs(extract(epoch FROM a - b)))::bigint % 60))::numeric(6,0) $$;
CREATE OR REPLACE FUNCTION db2.timestamp_difference(a timestamp, b timestamp) RETURNS numeric LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS
$$ SELECT (extract(year FROM age(a, b)) * 10000000000 + extract(month FROM age(a, b)) * 100000000 +
   extract(day FROM age(a, b)) * 1000000 + extract(hour FROM age(a, b)) * 10000 + extract(minute FROM age(a, b)) * 100 +
   extract(second FROM age(a, b)))::numeric(20,6) $$;
CREATE OR REPLACE FUNCTION db2.date_plus(d date, n numeric, sign int) RETURNS date LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS
$$ SELECT (d + sign * make_interval(trunc(n / 10000)::int, (trunc(n / 100)::bigint % 100)::int, 0, (trunc(n)::bigint % 100)::int))::date $$;
CREATE OR REPLACE FUNCTION db2.time_plus(t time, n numeric, sign int) RETURNS time LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS
$$ SELECT t + sign * make_interval(hours => trunc(n / 10000)::int, mins => (trunc(n / 100)::bigint % 100)::int, secs => (trunc(n)::bigint % 100)::int) $$;
CREATE OR REPLACE FUNCTION db2.timestamp_plus(t timestamp, n numeric, sign int) RETURNS timestamp LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS
$$ SELECT t + sign * make_interval(trunc(n / 10000000000)::int, (trunc(n / 100000000)::bigint % 100)::int, 0, (trunc(n / 1000000)::bigint % 100)::int,
   (trunc(n / 10000)::bigint % 100)::int, (trunc(n / 100)::bigint % 100)::int, (n % 100)::float8) $$;
-- TIMESTAMPDIFF takes a duration as text or number; months have 30 days, years 365.
CREATE OR REPLACE FUNCTION db2.timestampdiff(unit bigint, d numeric) RETURNS int LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS
$$ SELECT CASE unit WHEN 1 THEN trunc((s) * 1000000) WHEN 2 THEN trunc(s) WHEN 4 THEN trunc(s / 60) WHEN 8 THEN trunc(s / 3600)
   WHEN 16 THEN trunc(s / 86400) WHEN 32 THEN trunc(s / 604800) WHEN 64 THEN y * 12 + mo WHEN 128 THEN trunc((y * 12 + mo) / 3) ELSE y END::int
   FROM (SELECT y, mo, ((y * 365 + mo * 30 + trunc(d / 1000000) % 100) * 24 + trunc(d / 10000) % 100) * 3600 + trunc(d / 100) % 100 * 60 + d % 100 AS s
   FROM (SELECT trunc(d / 10000000000) AS y, trunc(d / 100000000) % 100 AS mo) p) q $$;
CREATE OR REPLACE FUNCTION db2.timestampdiff(unit bigint, d bpchar) RETURNS int LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS
$$ SELECT db2.timestampdiff(unit, btrim(d::text)::numeric) $$;

-- Formats: text after the format's end is refused, unlike to_timestamp.
CREATE OR REPLACE FUNCTION db2.timestamp_format(s bpchar, f text) RETURNS timestamp LANGUAGE plpgsql STABLE STRICT AS
$$ DECLARE t timestamp; BEGIN
  IF length(btrim(s::text)) > length(replace(replace(replace(f, 'US', 'NNNNNN'), 'MS', 'NNN'), 'HH24', 'HH')) THEN
    RAISE EXCEPTION USING ERRCODE = '22007', MESSAGE = 'the text is longer than its format';
  END IF;
  t := to_timestamp(s::text, f)::timestamp; RETURN t;
END $$;
CREATE OR REPLACE FUNCTION db2.varchar_format(t timestamp, f text) RETURNS bpchar LANGUAGE sql STABLE STRICT PARALLEL SAFE AS
$$ SELECT to_char(t, f)::bpchar $$;
CREATE OR REPLACE FUNCTION db2.varchar_format(n numeric, f text) RETURNS bpchar LANGUAGE sql STABLE STRICT PARALLEL SAFE AS
$$ SELECT to_char(n, f)::bpchar $$;

CREATE OR REPLACE FUNCTION db2.multiply_alt(a numeric, b numeric) RETURNS numeric LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$ SELECT a * b $$;
CREATE OR REPLACE FUNCTION db2.previous_value(s text) RETURNS bigint LANGUAGE sql VOLATILE AS $$ SELECT currval(s::regclass) $$;
-- The client keeps the value of its own session; this is for SQL outside of programs.
CREATE OR REPLACE FUNCTION db2.identity_val_local() RETURNS numeric LANGUAGE plpgsql VOLATILE AS
$$ BEGIN RETURN lastval(); EXCEPTION WHEN object_not_in_prerequisite_state THEN RETURN NULL; END $$;
CREATE OR REPLACE FUNCTION db2.generate_unique() RETURNS bytea LANGUAGE sql VOLATILE AS
$$ SELECT substr(decode(replace(gen_random_uuid()::text, '-', ''), 'hex'), 1, 13) $$;

-- Special registers: one value a statement.
CREATE OR REPLACE FUNCTION db2.current_timestamp() RETURNS timestamp LANGUAGE sql STABLE PARALLEL SAFE AS $$ SELECT statement_timestamp()::timestamp(6) $$;
CREATE OR REPLACE FUNCTION db2.current_date() RETURNS date LANGUAGE sql STABLE PARALLEL SAFE AS $$ SELECT statement_timestamp()::date $$;
CREATE OR REPLACE FUNCTION db2.current_time() RETURNS time LANGUAGE sql STABLE PARALLEL SAFE AS $$ SELECT date_trunc('second', statement_timestamp()::timestamp)::time $$;
CREATE OR REPLACE FUNCTION db2.current_timezone() RETURNS numeric LANGUAGE sql STABLE PARALLEL SAFE AS
$$ SELECT (extract(timezone_hour FROM statement_timestamp()) * 10000 + extract(timezone_minute FROM statement_timestamp()) * 100)::numeric(6,0) $$;
CREATE OR REPLACE FUNCTION db2.authid() RETURNS bpchar LANGUAGE sql STABLE PARALLEL SAFE AS $$ SELECT upper(session_user::text)::bpchar $$;
CREATE OR REPLACE FUNCTION db2.current_schema() RETURNS bpchar LANGUAGE sql STABLE PARALLEL SAFE AS $$ SELECT upper(session_user::text)::bpchar $$;
CREATE OR REPLACE FUNCTION db2.current_server() RETURNS bpchar LANGUAGE sql STABLE PARALLEL SAFE AS $$ SELECT coalesce(nullif(current_setting('db2.location', true), ''), upper(current_database()::text))::bpchar $$;

-- The domain of VARCHAR(n). A role that may make tables in a schema of its own has no right
-- to db2, so the function is the owner's.
CREATE OR REPLACE FUNCTION db2.make_varchar(n integer) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS
$$ BEGIN
  IF n NOT BETWEEN 1 AND 32704 THEN RAISE EXCEPTION 'VARCHAR(%): the length is not between 1 and 32704', n USING ERRCODE = '42611'; END IF;
  IF to_regtype('db2.varchar_' || n) IS NULL THEN
    EXECUTE format('CREATE DOMAIN db2.varchar_%s AS bpchar CONSTRAINT varchar_%s CHECK (octet_length(VALUE) <= %s OR length(textin(bpcharout(VALUE))) <= %s)', n, n, n, n);
  END IF;
EXCEPTION WHEN duplicate_object THEN NULL; END $$;

-- One-row tables and the parts of the catalogue that programs ask.
CREATE TABLE IF NOT EXISTS "SYSIBM"."SYSDUMMY1" ("IBMREQD" character(1) NOT NULL);
INSERT INTO "SYSIBM"."SYSDUMMY1" SELECT 'Y' WHERE NOT EXISTS (SELECT FROM "SYSIBM"."SYSDUMMY1");
CREATE OR REPLACE VIEW "SYSIBM"."SYSDUMMYE" AS SELECT * FROM "SYSIBM"."SYSDUMMY1";
CREATE OR REPLACE VIEW "SYSIBM"."SYSDUMMYA" AS SELECT * FROM "SYSIBM"."SYSDUMMY1";
CREATE OR REPLACE VIEW "SYSIBM"."SYSDUMMYU" AS SELECT * FROM "SYSIBM"."SYSDUMMY1";
CREATE OR REPLACE VIEW "SYSIBM"."SYSTABLES" AS
SELECT c.relname::bpchar AS "NAME", n.nspname::bpchar AS "CREATOR",
  CASE c.relkind WHEN 'v' THEN 'V' ELSE 'T' END::character(1) AS "TYPE",
  (SELECT count(*) FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped)::smallint AS "COLCOUNT"
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.relkind IN ('r', 'p', 'v') AND n.nspname !~ '^(pg_|information_schema$)';
CREATE OR REPLACE VIEW "SYSIBM"."SYSCOLUMNS" AS
SELECT a.attname::bpchar AS "NAME", c.relname::bpchar AS "TBNAME", n.nspname::bpchar AS "TBCREATOR", a.attnum::smallint AS "COLNO",
  CASE WHEN a.attnotnull THEN 'N' ELSE 'Y' END::character(1) AS "NULLS", upper(format_type(a.atttypid, NULL))::bpchar AS "COLTYPE"
FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE a.attnum > 0 AND NOT a.attisdropped AND c.relkind IN ('r', 'p', 'v') AND n.nspname !~ '^(pg_|information_schema$)';
GRANT USAGE ON SCHEMA db2, "SYSIBM" TO PUBLIC;
GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA db2 TO PUBLIC;
GRANT SELECT ON ALL TABLES IN SCHEMA "SYSIBM" TO PUBLIC;

-- Numbers of units of work: a role may insert one and never read any.
-- A refused number is the owner's: a unit whose outcome was asked for cannot commit any more.
CREATE TABLE IF NOT EXISTS db2.unit (id uuid PRIMARY KEY, at timestamptz NOT NULL DEFAULT statement_timestamp());
ALTER TABLE db2.unit ADD COLUMN IF NOT EXISTS refused boolean NOT NULL DEFAULT false;
REVOKE ALL ON db2.unit FROM PUBLIC;
GRANT INSERT (id) ON db2.unit TO PUBLIC;
