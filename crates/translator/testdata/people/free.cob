>>SOURCE FORMAT IS FREE
*> free
identification division.
program-id. free.
data division.
working-storage section.
01 a pic x(10). *> inline
linkage section.
copy outer replacing ==:tag:== by ==Q==.
procedure division.
  exec cics  *> why
     return  *> so
  end-exec.
