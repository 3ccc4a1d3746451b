      * A requester's handler: asks for USD where the program asks for
      * OLD, and fails where it asks for BAD.
       IDENTIFICATION DIVISION.
       PROGRAM-ID. SVREQ.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-FUNCTION                 PIC X(16).
       01  WS-LENGTH                   PIC S9(8) COMP.
       01  WS-MESSAGE                  PIC X(2000).
       01  WS-N                        PIC S9(8) COMP VALUE 0.
       PROCEDURE DIVISION.
           MOVE 16 TO WS-LENGTH
           MOVE SPACES TO WS-FUNCTION
           EXEC CICS GET CONTAINER('DFHFUNCTION') INTO(WS-FUNCTION)
               FLENGTH(WS-LENGTH) END-EXEC
           IF WS-FUNCTION = 'SEND-REQUEST'
               MOVE 2000 TO WS-LENGTH
               MOVE SPACES TO WS-MESSAGE
               EXEC CICS GET CONTAINER('DFHREQUEST')
                   INTO(WS-MESSAGE) FLENGTH(WS-LENGTH) END-EXEC
               INSPECT WS-MESSAGE TALLYING WS-N FOR ALL '>BAD<'
               IF WS-N > 0
                   EXEC CICS ABEND ABCODE('SVRQ') END-EXEC
               END-IF
               INSPECT WS-MESSAGE REPLACING ALL '>OLD<' BY '>USD<'
               EXEC CICS PUT CONTAINER('DFHREQUEST')
                   FROM(WS-MESSAGE) FLENGTH(WS-LENGTH) CHAR END-EXEC
               EXEC CICS DELETE CONTAINER('DFHRESPONSE') END-EXEC
           END-IF
           EXEC CICS RETURN END-EXEC.
