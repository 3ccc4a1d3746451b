      * A child: answers what it was given, when it was given something.
       IDENTIFICATION DIVISION.
       PROGRAM-ID. CHLDPGM.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-CHANNEL                  PIC X(16).
       01  WS-DATA                     PIC X(8).
       01  WS-LENGTH                   PIC S9(8) COMP VALUE 8.
       PROCEDURE DIVISION.
           EXEC CICS ASSIGN CHANNEL(WS-CHANNEL) END-EXEC
           IF WS-CHANNEL NOT = SPACES
               EXEC CICS GET CONTAINER('INPUT') INTO(WS-DATA)
                   FLENGTH(WS-LENGTH) END-EXEC
               MOVE FUNCTION REVERSE(WS-DATA) TO WS-DATA
               EXEC CICS PUT CONTAINER('OUTPUT') FROM(WS-DATA)
                   FLENGTH(8) END-EXEC
           END-IF
           EXEC CICS RETURN END-EXEC.
