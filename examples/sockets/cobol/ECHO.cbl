      * Sends back what it receives, until the client has no more.
      * Client-in-data is sent first, when there is some.
       IDENTIFICATION DIVISION.
       PROGRAM-ID. ECHO.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       COPY SOCKTIM.
       PROCEDURE DIVISION.
           INITIALIZE TIM
           MOVE LENGTH OF TIM TO TIM-BYTES
           EXEC CICS RETRIEVE INTO(TIM) LENGTH(TIM-BYTES) END-EXEC
           PERFORM TAKE-SOCKET
           IF SOC-RETCODE >= 0
               IF TIM-CLIENT-DATA NOT = SPACES
                   STRING TIM-CLIENT-DATA DELIMITED BY '  '
                       X'0A' DELIMITED BY SIZE INTO SOC-BUFFER
                   PERFORM VARYING SOC-NBYTE FROM 1 BY 1
                       UNTIL SOC-BUFFER(SOC-NBYTE:1) = X'0A'
                       CONTINUE
                   END-PERFORM
                   PERFORM WRITE-SOCKET
               END-IF
               PERFORM READ-SOCKET
               PERFORM UNTIL SOC-RETCODE <= 0
                   MOVE SOC-RETCODE TO SOC-NBYTE
                   PERFORM WRITE-SOCKET
                   PERFORM READ-SOCKET
               END-PERFORM
               PERFORM CLOSE-SOCKET
           END-IF
           EXEC CICS RETURN END-EXEC.
       COPY SOCKTAKE.
