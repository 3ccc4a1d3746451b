      * The sending half of a pair: sends what RECEIVER puts into the
      * queue of the session. It sleeps in a DELAY that RECEIVER cancels,
      * and ends after a minute without anything to send.
       IDENTIFICATION DIVISION.
       PROGRAM-ID. SENDER.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       COPY SOCKTIM.
       01  SESSION-QUEUE.
           05  FILLER                  PIC X(4) VALUE 'SEND'.
           05  SESSION-NAME            PIC X(4).
       01  LINE-AREA.
           05  LINE-LENGTH             PIC 9(4) BINARY.
           05  LINE-TEXT               PIC X(1000).
       01  ITEM                        PIC S9(4) BINARY VALUE 1.
       01  RESPONSE                    PIC S9(8) BINARY.
       01  LAST-SEEN                   PIC X VALUE 'N'.
       01  SLEPT                       PIC 9(8) BINARY VALUE 0.
       PROCEDURE DIVISION.
           INITIALIZE TIM
           MOVE LENGTH OF TIM TO TIM-BYTES
           EXEC CICS RETRIEVE INTO(TIM) LENGTH(TIM-BYTES) END-EXEC
           MOVE TIM-CLIENT-DATA TO SESSION-NAME
           PERFORM TAKE-SOCKET
           PERFORM UNTIL SOC-RETCODE < 0 OR LAST-SEEN = 'Y'
               OR SLEPT > 300
               EXEC CICS READQ TS QUEUE(SESSION-QUEUE) INTO(LINE-AREA)
                   ITEM(ITEM) RESP(RESPONSE) END-EXEC
               IF RESPONSE = DFHRESP(NORMAL)
                   ADD 1 TO ITEM
                   MOVE 0 TO SLEPT
                   PERFORM SEND-LINE
               ELSE
                   ADD 1 TO SLEPT
                   EXEC CICS DELAY FOR MILLISECS(200)
                       REQID(SESSION-QUEUE) RESP(RESPONSE) END-EXEC
               END-IF
           END-PERFORM
           EXEC CICS DELETEQ TS QUEUE(SESSION-QUEUE) RESP(RESPONSE)
               END-EXEC
           PERFORM CLOSE-SOCKET
           EXEC CICS RETURN END-EXEC.
       SEND-LINE.
           IF LINE-LENGTH = 0
               MOVE 'Y' TO LAST-SEEN
           ELSE
               MOVE LINE-TEXT(1:LINE-LENGTH) TO SOC-ANSWER
               COMPUTE SOC-NBYTE = LINE-LENGTH + 1
               MOVE X'0A' TO SOC-ANSWER(SOC-NBYTE:1)
               MOVE 'WRITE' TO SOC-FUNCTION
               CALL 'EZASOKET' USING SOC-FUNCTION SOC-S SOC-NBYTE
                   SOC-ANSWER SOC-ERRNO SOC-RETCODE
           END-IF.
       COPY SOCKTAKE.
