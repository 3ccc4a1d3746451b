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
       01  LINE-AREA.
           05  LINE-LENGTH             PIC 9(4) BINARY VALUE 0.
           05  LINE-TEXT               PIC X(1000).
       01  CHAR-AT                     PIC 9(8) BINARY.
       01  RESPONSE                    PIC S9(8) BINARY.
       PROCEDURE DIVISION.
           INITIALIZE TIM
           MOVE LENGTH OF TIM TO TIM-BYTES
           EXEC CICS RETRIEVE INTO(TIM) LENGTH(TIM-BYTES) END-EXEC
           MOVE TIM-CLIENT-DATA TO SESSION-NAME
           PERFORM TAKE-SOCKET
           IF SOC-RETCODE >= 0
               PERFORM READ-SOCKET
               PERFORM UNTIL SOC-RETCODE <= 0
                   PERFORM VARYING CHAR-AT FROM 1 BY 1
                       UNTIL CHAR-AT > SOC-RETCODE
                       PERFORM TAKE-CHARACTER
                   END-PERFORM
                   PERFORM READ-SOCKET
               END-PERFORM
               MOVE 0 TO LINE-LENGTH
               PERFORM PASS-ON
               PERFORM CLOSE-SOCKET
           END-IF
           EXEC CICS RETURN END-EXEC.
      * A message may come in parts, and several may come together.
       TAKE-CHARACTER.
           IF SOC-BUFFER(CHAR-AT:1) = X'0A'
               IF LINE-LENGTH > 0
                   EXEC CICS LINK PROGRAM('SHOUT') COMMAREA(LINE-AREA)
                       END-EXEC
                   PERFORM PASS-ON
               END-IF
               MOVE 0 TO LINE-LENGTH
           ELSE
               IF LINE-LENGTH < LENGTH OF LINE-TEXT
                   ADD 1 TO LINE-LENGTH
                   MOVE SOC-BUFFER(CHAR-AT:1)
                       TO LINE-TEXT(LINE-LENGTH:1)
               END-IF
           END-IF.
      * An item of length 0 tells the sender that there is no more.
       PASS-ON.
           EXEC CICS WRITEQ TS QUEUE(SESSION-QUEUE) FROM(LINE-AREA)
               RESP(RESPONSE) END-EXEC
           EXEC CICS CANCEL REQID(SESSION-QUEUE) RESP(RESPONSE)
               END-EXEC.
       COPY SOCKTAKE.
