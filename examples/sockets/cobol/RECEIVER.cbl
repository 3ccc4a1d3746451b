      * The receiving half of a pair: reads lines, LINKs SHOUT with each,
      * and puts the answers into a queue for SENDER. Client-in-data names
      * the session that the two connections belong to.
       IDENTIFICATION DIVISION.
       PROGRAM-ID. RECEIVER.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       COPY SOCKTIM.
       01  SESSION-QUEUE.
           05  FILLER                  PIC X(4) VALUE 'SEND'.
           05  SESSION-NAME            PIC X(4).
       COPY SOCKLINE.
       01  RESPONSE                    PIC S9(8) BINARY.
       PROCEDURE DIVISION.
           INITIALIZE TIM
           MOVE LENGTH OF TIM TO TIM-BYTES
           EXEC CICS RETRIEVE INTO(TIM) LENGTH(TIM-BYTES) END-EXEC
           MOVE TIM-CLIENT-DATA TO SESSION-NAME
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
      * An item of length 0 tells the sender that there is no more.
       PASS-ON.
           EXEC CICS WRITEQ TS QUEUE(SESSION-QUEUE) FROM(LINE-AREA)
               RESP(RESPONSE) END-EXEC
           EXEC CICS CANCEL REQID(SESSION-QUEUE) RESP(RESPONSE)
               END-EXEC.
       COPY SOCKREAD.
       COPY SOCKTAKE.
