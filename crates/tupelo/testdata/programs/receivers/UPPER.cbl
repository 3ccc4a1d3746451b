       IDENTIFICATION DIVISION.
       PROGRAM-ID. UPPER.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  MESSAGE-TEXT                PIC X(100).
       01  MESSAGE-BYTES               PIC S9(8) BINARY.
       01  FREED                       PIC X(4).
       01  HELD                        PIC S9(8) BINARY VALUE 1.
       PROCEDURE DIVISION.
           MOVE LENGTH OF MESSAGE-TEXT TO MESSAGE-BYTES
           EXEC CICS GET CONTAINER('QUESTION') INTO(MESSAGE-TEXT)
               FLENGTH(MESSAGE-BYTES) END-EXEC
           IF MESSAGE-TEXT(1:5) = 'abend'
               EXEC CICS ABEND ABCODE('OOPS') END-EXEC
           END-IF
           IF MESSAGE-TEXT(1:4) = 'wait'
               EXEC CICS DELAY FOR MILLISECS(700) END-EXEC
           END-IF
           IF MESSAGE-TEXT(1:4) = 'free'
               EXEC CICS WRITEQ TS QUEUE('FREED') FROM(MESSAGE-TEXT)
                   LENGTH(4) END-EXEC
           END-IF
           IF MESSAGE-TEXT(1:4) = 'hold'
               PERFORM UNTIL HELD = 0
                   EXEC CICS DELAY FOR MILLISECS(5) END-EXEC
                   EXEC CICS READQ TS QUEUE('FREED') INTO(FREED)
                       ITEM(1) RESP(HELD) END-EXEC
               END-PERFORM
           END-IF
           MOVE FUNCTION UPPER-CASE(MESSAGE-TEXT) TO MESSAGE-TEXT
           EXEC CICS PUT CONTAINER('ANSWER') FROM(MESSAGE-TEXT)
               FLENGTH(MESSAGE-BYTES) END-EXEC
           EXEC CICS RETURN END-EXEC.
