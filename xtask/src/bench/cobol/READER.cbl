       IDENTIFICATION DIVISION.
       PROGRAM-ID. READER.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-RESP                      PIC S9(8) COMP.
       01  WS-TIMES                     PIC S9(8) COMP-5.
       01  WS-NUMBER                    PIC 9(8) COMP-5 VALUE 1.
       01  WS-KEY                       PIC 9(8).
       01  WS-RECORD                    PIC X(200).
       PROCEDURE DIVISION.
      *    Every key once in 100,000 rounds, in no order.
           PERFORM VARYING WS-TIMES FROM 1 BY 1 UNTIL WS-TIMES > 200000
               COMPUTE WS-NUMBER =
                   FUNCTION MOD(WS-NUMBER * 1601 + 51749, 100000)
               MOVE WS-NUMBER TO WS-KEY
               EXEC CICS READ FILE('RECORDS') INTO(WS-RECORD)
                   RIDFLD(WS-KEY) RESP(WS-RESP)
               END-EXEC
               IF WS-RESP NOT = DFHRESP(NORMAL)
                   EXEC CICS ABEND ABCODE('BAD ') END-EXEC
               END-IF
           END-PERFORM
           EXEC CICS RETURN END-EXEC.
