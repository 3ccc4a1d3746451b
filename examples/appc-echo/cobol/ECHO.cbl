      * Receives records and sends each back, until the partner ends.
       IDENTIFICATION DIVISION.
       PROGRAM-ID. ECHO.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-RECORD                    PIC X(32767).
       01  WS-LENGTH                    PIC S9(8) COMP.
       01  WS-KEPT                      PIC S9(8) COMP VALUE 0.
       01  WS-RESP                      PIC S9(8) COMP.
       01  WS-STATE                     PIC S9(8) COMP.
       PROCEDURE DIVISION.
           PERFORM WITH TEST AFTER
               UNTIL WS-STATE = DFHVALUE(FREE)
                  OR (WS-RESP NOT = DFHRESP(NORMAL)
                      AND WS-RESP NOT = DFHRESP(EOC))
               PERFORM TAKE-TURN
           END-PERFORM
           EXEC CICS RETURN END-EXEC.

       TAKE-TURN.
           EXEC CICS RECEIVE INTO(WS-RECORD) FLENGTH(WS-LENGTH)
                MAXFLENGTH(LENGTH OF WS-RECORD)
                STATE(WS-STATE) RESP(WS-RESP)
           END-EXEC
           IF EIBNODAT NOT = X'FF'
               MOVE WS-LENGTH TO WS-KEPT
           END-IF
           EVALUATE WS-STATE
             WHEN DFHVALUE(CONFRECEIVE)
             WHEN DFHVALUE(CONFSEND)
             WHEN DFHVALUE(CONFFREE)
               EXEC CICS ISSUE CONFIRMATION STATE(WS-STATE)
                    RESP(WS-RESP)
               END-EXEC
           END-EVALUATE
           IF WS-STATE = DFHVALUE(SEND)
               EXEC CICS SEND FROM(WS-RECORD) FLENGTH(WS-KEPT)
                    INVITE WAIT STATE(WS-STATE) RESP(WS-RESP)
               END-EXEC
           END-IF.
