      * The sending half of a pair: sends what RECEIVER puts into the
      * queue of the session, and waits for each item until RECEIVER
      * gives its turn up. It ends after a minute without a RECEIVER.
       IDENTIFICATION DIVISION.
       PROGRAM-ID. SENDER.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       COPY SOCKTIM.
       COPY SOCKPAIR.
       COPY SOCKLINE.
       01  ITEM                        PIC S9(4) BINARY VALUE 1.
       01  LAST-SEEN                   PIC X VALUE 'N'.
       01  SLEPT                       PIC 9(8) BINARY VALUE 0.
       PROCEDURE DIVISION.
           INITIALIZE TIM
           MOVE LENGTH OF TIM TO TIM-BYTES
           EXEC CICS RETRIEVE INTO(TIM) LENGTH(TIM-BYTES) END-EXEC
           MOVE TIM-CLIENT-DATA TO SESSION-NAME
           PERFORM TAKE-SOCKET
           PERFORM NEXT-ITEM UNTIL SOC-RETCODE < 0
               OR LAST-SEEN = 'Y' OR SLEPT > 300
           EXEC CICS DELETEQ TS QUEUE(SESSION-QUEUE) RESP(RESPONSE)
               END-EXEC
           PERFORM CLOSE-SOCKET
           EXEC CICS RETURN END-EXEC.
       NEXT-ITEM.
           MOVE ITEM TO TURN-NUMBER
           EXEC CICS ENQ RESOURCE(TURN) LENGTH(LENGTH OF TURN) END-EXEC
           EXEC CICS DEQ RESOURCE(TURN) LENGTH(LENGTH OF TURN) END-EXEC
           MOVE LENGTH OF LINE-AREA TO ITEM-BYTES
           EXEC CICS READQ TS QUEUE(SESSION-QUEUE) INTO(LINE-AREA)
               LENGTH(ITEM-BYTES) ITEM(ITEM) RESP(RESPONSE) END-EXEC
           IF RESPONSE = DFHRESP(NORMAL)
               ADD 1 TO ITEM
               MOVE 0 TO SLEPT
               PERFORM SEND-LINE
           ELSE
      * There is no RECEIVER yet, or none any more.
               ADD 1 TO SLEPT
               EXEC CICS DELAY FOR MILLISECS(200) END-EXEC
           END-IF.
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
