      * As ECHO, for start type TD: takes one connection after the other
      * from the queue until it is empty.
       IDENTIFICATION DIVISION.
       PROGRAM-ID. ECHOTD.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       COPY SOCKTIM.
       01  RESPONSE                    PIC S9(8) BINARY.
       PROCEDURE DIVISION.
           PERFORM NEXT-MESSAGE
           PERFORM UNTIL RESPONSE NOT = DFHRESP(NORMAL)
               PERFORM TAKE-SOCKET
               IF SOC-RETCODE >= 0
                   PERFORM READ-SOCKET
                   PERFORM UNTIL SOC-RETCODE <= 0
                       MOVE SOC-RETCODE TO SOC-NBYTE
                       PERFORM WRITE-SOCKET
                       PERFORM READ-SOCKET
                   END-PERFORM
                   PERFORM CLOSE-SOCKET
               END-IF
               PERFORM NEXT-MESSAGE
           END-PERFORM
           EXEC CICS RETURN END-EXEC.
       NEXT-MESSAGE.
           INITIALIZE TIM
           MOVE LENGTH OF TIM TO TIM-BYTES
           EXEC CICS READQ TD QUEUE('ECHT') INTO(TIM)
               LENGTH(TIM-BYTES) RESP(RESPONSE) END-EXEC.
       COPY SOCKTAKE.
