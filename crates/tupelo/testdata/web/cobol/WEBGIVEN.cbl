      * Sends a document of templates that a program gives, and of one in a
      * transient data queue, which is read once and then kept.
       IDENTIFICATION DIVISION.
       PROGRAM-ID. WEBGIVEN.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-TOKEN                    PIC X(16).
       01  WS-LINE                     PIC X(20).
       01  WS-LENGTH                   PIC S9(4) COMP.
       01  WS-RESP                     PIC S9(8) COMP.
       01  WS-RESP2                    PIC S9(8) COMP.
       01  WS-NAME                     PIC X(48).
       01  WS-SHOWN.
           05  WS-SHOWN-NAME           PIC X(8).
           05  WS-RESP-N               PIC 999.
           05  FILLER                  PIC X VALUE SPACE.
           05  WS-RESP2-N              PIC 9999.
           05  FILLER                  PIC X VALUE ';'.
       PROCEDURE DIVISION.
           MOVE 'a &verb; line' TO WS-LINE
           EXEC CICS WRITEQ TD QUEUE('LINE') FROM(WS-LINE)
               LENGTH(20) END-EXEC
           MOVE 'another' TO WS-LINE
           EXEC CICS WRITEQ TD QUEUE('LINE') FROM(WS-LINE)
               LENGTH(20) END-EXEC
           EXEC CICS DOCUMENT CREATE DOCTOKEN(WS-TOKEN)
               SYMBOLLIST('who=Ann&verb=good') LISTLENGTH(17)
               TEMPLATE('GIVEN') END-EXEC
           EXEC CICS DOCUMENT INSERT DOCTOKEN(WS-TOKEN)
               TEMPLATE('PLAIN') END-EXEC
           EXEC CICS DOCUMENT INSERT DOCTOKEN(WS-TOKEN)
               TEMPLATE('INTD') END-EXEC
           EXEC CICS DOCUMENT INSERT DOCTOKEN(WS-TOKEN)
               TEMPLATE('INTD') END-EXEC
           MOVE 'NOEXIT' TO WS-NAME
           PERFORM INSERTED
           MOVE 'REFUSED' TO WS-NAME
           PERFORM INSERTED
           MOVE 'ENDLESS' TO WS-NAME
           PERFORM INSERTED
           MOVE 'ABENDS' TO WS-NAME
           PERFORM INSERTED
           MOVE 20 TO WS-LENGTH
           EXEC CICS READQ TD QUEUE('CSDH') INTO(WS-LINE)
               LENGTH(WS-LENGTH) END-EXEC
           EXEC CICS DOCUMENT INSERT DOCTOKEN(WS-TOKEN)
               TEXT(WS-LINE) LENGTH(19) END-EXEC
           EXEC CICS DOCUMENT INSERT DOCTOKEN(WS-TOKEN)
               TEMPLATE('LONG') END-EXEC
           EXEC CICS WEB SEND DOCTOKEN(WS-TOKEN)
               MEDIATYPE('text/html') END-EXEC
           EXEC CICS RETURN END-EXEC.
       INSERTED.
           EXEC CICS DOCUMENT INSERT DOCTOKEN(WS-TOKEN)
               TEMPLATE(WS-NAME) RESP(WS-RESP) RESP2(WS-RESP2)
               END-EXEC
           MOVE WS-NAME TO WS-SHOWN-NAME
           MOVE WS-RESP TO WS-RESP-N
           MOVE WS-RESP2 TO WS-RESP2-N
           EXEC CICS DOCUMENT INSERT DOCTOKEN(WS-TOKEN)
               TEXT(WS-SHOWN) LENGTH(LENGTH OF WS-SHOWN) END-EXEC.
