      * The receiving half of a pair: reads lines, LINKs SHOUT with each,
      * and puts the answers into a queue for SENDER. Client-in-data names
      * the session that the two connections belong to.
       IDENTIFICATION DIVISION.
       PROGRAM-ID. RECEIVER.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       COPY SOCKTIM.
       COPY SOCKPAIR.
       01  LAST-TURN                   PIC X(16).
       COPY SOCKLINE.
       PROCEDURE DIVISION.
           INITIALIZE TIM
           MOVE LENGTH OF TIM TO TIM-BYTES
           EXEC CICS RETRIEVE INTO(TIM) LENGTH(TIM-BYTES) END-EXEC
           MOVE TIM-CLIENT-DATA TO SESSION-NAME
           EXEC CICS DELETEQ TS QUEUE(SESSION-QUEUE) RESP(RESPONSE)
               END-EXEC
           EXEC CICS ENQ RESOURCE(TURN) LENGTH(LENGTH OF TURN) END-EXEC
           PERFORM TAKE-SOCKET
           IF SOC-RETCODE >= 0
               PERFORM READ-LINE
               PERFORM UNTIL SOC-RETCODE <= 0
                   EXEC CICS LINK PROGRAM('SHOUT') COMMAREA(LINE-AREA)
                       END-EXEC
                   PERFORM PASS-ON
                   PERFORM READ-LINE
               END-PERFORM
               MOVE 0 TO LINE-LENGTH
               PERFORM PASS-ON
               PERFORM CLOSE-SOCKET
           END-IF
           EXEC CICS RETURN END-EXEC.
      * An item of length 0 tells the sender that there is no more. Who
      * gives this turn up has the next one already, so that the sender
      * gets it when there is something to send and not before.
       PASS-ON.
           COMPUTE ITEM-BYTES = LINE-LENGTH + 2
           EXEC CICS WRITEQ TS QUEUE(SESSION-QUEUE) FROM(LINE-AREA)
               LENGTH(ITEM-BYTES) END-EXEC
           MOVE TURN TO LAST-TURN
           ADD 1 TO TURN-NUMBER
           EXEC CICS ENQ RESOURCE(TURN) LENGTH(LENGTH OF TURN) END-EXEC
           EXEC CICS DEQ RESOURCE(LAST-TURN)
               LENGTH(LENGTH OF LAST-TURN) END-EXEC.
       COPY SOCKREAD.
       COPY SOCKTAKE.
