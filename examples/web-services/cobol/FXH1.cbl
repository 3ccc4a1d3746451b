      * A message handler: the service runs under transaction FXS1, in a
      * task of its own, and so has monitoring records of its own.
       IDENTIFICATION DIVISION.
       PROGRAM-ID. FXH1.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-FUNCTION                 PIC X(16).
       01  WS-LENGTH                   PIC S9(8) COMP VALUE 16.
       01  WS-TRANID                   PIC X(4) VALUE 'FXS1'.
       PROCEDURE DIVISION.
           EXEC CICS GET CONTAINER('DFHFUNCTION') INTO(WS-FUNCTION)
               FLENGTH(WS-LENGTH) END-EXEC
           IF WS-FUNCTION = 'RECEIVE-REQUEST'
               EXEC CICS PUT CONTAINER('DFHWS-TRANID')
                   FROM(WS-TRANID) FLENGTH(4) CHAR END-EXEC
      *        A request without a response goes on to the next handler.
               EXEC CICS DELETE CONTAINER('DFHRESPONSE') END-EXEC
           END-IF
           EXEC CICS RETURN END-EXEC.
