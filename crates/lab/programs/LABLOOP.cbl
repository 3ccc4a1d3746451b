      ******************************************************************
      * LABLOOP: the customer's program of examples/sockets, LINKed again
      * and again without any socket, to know what it costs by itself.
      * Client-in-data is how often.
      ******************************************************************
       IDENTIFICATION DIVISION.
       PROGRAM-ID. LABLOOP.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       COPY SOCKTIM.
       COPY SOCKLINE.
       01  LOOPS                        PIC 9(8) VALUE 0.
       01  DONE                         PIC 9(8) BINARY VALUE 0.
       PROCEDURE DIVISION.
           INITIALIZE TIM
           MOVE LENGTH OF TIM TO TIM-BYTES
           EXEC CICS RETRIEVE INTO(TIM) LENGTH(TIM-BYTES) END-EXEC
           PERFORM TAKE-SOCKET
           UNSTRING TIM-CLIENT-DATA DELIMITED BY SPACE INTO LOOPS
           MOVE ALL 'a request without a socket ' TO LINE-TEXT
           MOVE 99 TO LINE-LENGTH
           PERFORM UNTIL DONE >= LOOPS
               EXEC CICS LINK PROGRAM('SHOUT') COMMAREA(LINE-AREA)
                   END-EXEC
               ADD 1 TO DONE
           END-PERFORM
           PERFORM CLOSE-SOCKET
           EXEC CICS RETURN END-EXEC.
       COPY SOCKTAKE.
