      * Sends a document of templates that are a queue and a file, which
      * it has written itself. What it wrote to the file is not committed
      * yet, and is read all the same.
       IDENTIFICATION DIVISION.
       PROGRAM-ID. WEBLINES.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-TOKEN                    PIC X(16).
       01  WS-LINE                     PIC X(30).
       01  WS-RECORD.
           05  WS-KEY                  PIC 9(4).
           05  WS-RECORD-TEXT          PIC X(16).
       01  WS-RESP                     PIC S9(8) COMP.
       01  WS-RESP2                    PIC S9(8) COMP.
       01  WS-SHOWN.
           05  WS-RESP-N               PIC 999.
           05  FILLER                  PIC X VALUE SPACE.
           05  WS-RESP2-N              PIC 999.
       PROCEDURE DIVISION.
           EXEC CICS DOCUMENT CREATE DOCTOKEN(WS-TOKEN)
               TEMPLATE('INQUEUE') RESP(WS-RESP) RESP2(WS-RESP2)
               END-EXEC
           MOVE WS-RESP TO WS-RESP-N
           MOVE WS-RESP2 TO WS-RESP2-N
           MOVE '<p>Dear &who;,' TO WS-LINE
           EXEC CICS WRITEQ TS QUEUE('LINES') FROM(WS-LINE)
               LENGTH(30) END-EXEC
           MOVE 'we &verb;' TO WS-LINE
           EXEC CICS WRITEQ TS QNAME('LINES') FROM(WS-LINE)
               LENGTH(30) END-EXEC
           MOVE 1 TO WS-KEY
           MOVE ' thank you' TO WS-RECORD-TEXT
           EXEC CICS WRITE FILE('TEXTS') FROM(WS-RECORD)
               RIDFLD(WS-KEY) LENGTH(20) END-EXEC
           MOVE 2 TO WS-KEY
           MOVE ' &who;' TO WS-RECORD-TEXT
           EXEC CICS WRITE FILE('TEXTS') FROM(WS-RECORD)
               RIDFLD(WS-KEY) LENGTH(20) END-EXEC
           EXEC CICS DOCUMENT CREATE DOCTOKEN(WS-TOKEN)
               SYMBOLLIST('who=Ann&verb=do') LISTLENGTH(15)
               TEMPLATE('INQUEUE') END-EXEC
           EXEC CICS DOCUMENT INSERT DOCTOKEN(WS-TOKEN)
               TEMPLATE('INFILE') END-EXEC
           EXEC CICS DOCUMENT INSERT DOCTOKEN(WS-TOKEN)
               TEXT(WS-SHOWN) LENGTH(7) END-EXEC
           EXEC CICS WEB SEND DOCTOKEN(WS-TOKEN)
               MEDIATYPE('text/html') END-EXEC
           EXEC CICS DELETEQ TS QNAME('LINES') END-EXEC
           EXEC CICS SYNCPOINT ROLLBACK END-EXEC
           EXEC CICS RETURN END-EXEC.
