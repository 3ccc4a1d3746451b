      * Reads lines, LINKs SHOUT with each, and answers on the same
      * connection.
       IDENTIFICATION DIVISION.
       PROGRAM-ID. LINES.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       COPY SOCKTIM.
       COPY SOCKLINE.
       PROCEDURE DIVISION.
           INITIALIZE TIM
           MOVE LENGTH OF TIM TO TIM-BYTES
           EXEC CICS RETRIEVE INTO(TIM) LENGTH(TIM-BYTES) END-EXEC
           PERFORM TAKE-SOCKET
           IF SOC-RETCODE >= 0
               PERFORM READ-LINE
               PERFORM UNTIL SOC-RETCODE <= 0
                   EXEC CICS LINK PROGRAM('SHOUT') COMMAREA(LINE-AREA)
                       END-EXEC
                   PERFORM SEND-LINE
                   IF SOC-RETCODE > 0
                       PERFORM READ-LINE
                   END-IF
               END-PERFORM
               PERFORM CLOSE-SOCKET
           END-IF
           EXEC CICS RETURN END-EXEC.
      * What is left of the last read must stay: the answer goes out of an
      * area of its own.
       SEND-LINE.
           MOVE LINE-TEXT(1:LINE-LENGTH) TO SOC-ANSWER
           COMPUTE SOC-NBYTE = LINE-LENGTH + 1
           MOVE X'0A' TO SOC-ANSWER(SOC-NBYTE:1)
           MOVE 'WRITE' TO SOC-FUNCTION
           CALL 'EZASOKET' USING SOC-FUNCTION SOC-S SOC-NBYTE
               SOC-ANSWER SOC-ERRNO SOC-RETCODE.
       COPY SOCKREAD.
       COPY SOCKTAKE.
