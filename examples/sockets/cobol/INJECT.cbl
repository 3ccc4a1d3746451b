      * The inner injector: drives RECEIVER and SENDER from within the
      * region, by two sockets as a client from outside has them.
      * Client-in-data is how many requests, the listener's port and the
      * session: INJ1,2500 3010 X001. What came of it is told on the
      * connection that asked.
       IDENTIFICATION DIVISION.
       PROGRAM-ID. INJECT.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       COPY SOCKTIM.
       01  ASKED                       PIC 9(4) BINARY.
       01  S-TO                        PIC 9(4) BINARY.
       01  S-FROM                      PIC 9(4) BINARY.
       01  REQUESTS                    PIC 9(8) VALUE 0.
       01  ANSWERED                    PIC 9(8) VALUE 0.
       01  PORT-NUMBER                 PIC 9(5).
       01  SESSION-NAME                PIC X(4).
       01  AF-INET                     PIC 9(8) BINARY VALUE 2.
       01  SOCK-STREAM                 PIC 9(8) BINARY VALUE 1.
       01  PROTO                       PIC 9(8) BINARY VALUE 0.
       01  PARTNER.
           05  PARTNER-FAMILY          PIC 9(4) BINARY VALUE 2.
           05  PARTNER-PORT            PIC 9(4) BINARY.
      *        127.0.0.1
           05  PARTNER-ADDRESS         PIC 9(8) BINARY VALUE 2130706433.
           05  FILLER                  PIC X(8) VALUE LOW-VALUES.
       01  REQUEST                     PIC X(100).
       PROCEDURE DIVISION.
           INITIALIZE TIM
           MOVE LENGTH OF TIM TO TIM-BYTES
           EXEC CICS RETRIEVE INTO(TIM) LENGTH(TIM-BYTES) END-EXEC
           PERFORM TAKE-SOCKET
           IF SOC-RETCODE < 0
               EXEC CICS RETURN END-EXEC
           END-IF
           MOVE SOC-S TO ASKED
           UNSTRING TIM-CLIENT-DATA DELIMITED BY SPACE
               INTO REQUESTS PORT-NUMBER SESSION-NAME
           MOVE PORT-NUMBER TO PARTNER-PORT
           MOVE ALL 'request from within ' TO REQUEST
           MOVE X'0A' TO REQUEST(100:1)
           MOVE SPACES TO SOC-ANSWER
           STRING 'SEND,' SESSION-NAME X'0A' DELIMITED BY SIZE
               INTO SOC-ANSWER
           PERFORM OPEN-SOCKET
           MOVE SOC-S TO S-FROM
           MOVE SPACES TO SOC-ANSWER
           STRING 'RECV,' SESSION-NAME X'0A' DELIMITED BY SIZE
               INTO SOC-ANSWER
           PERFORM OPEN-SOCKET
           MOVE SOC-S TO S-TO
           PERFORM ONE-REQUEST UNTIL ANSWERED >= REQUESTS
               OR SOC-RETCODE <= 0
           MOVE S-TO TO SOC-S
           PERFORM CLOSE-SOCKET
           MOVE S-FROM TO SOC-S
           PERFORM CLOSE-SOCKET
           MOVE SPACES TO SOC-ANSWER
           STRING ANSWERED ' of ' REQUESTS ' answered' X'0A'
               DELIMITED BY SIZE INTO SOC-ANSWER
           MOVE ASKED TO SOC-S
           MOVE 30 TO SOC-NBYTE
           PERFORM WRITE-ANSWER
           PERFORM CLOSE-SOCKET
           EXEC CICS RETURN END-EXEC.
       OPEN-SOCKET.
           MOVE 'SOCKET' TO SOC-FUNCTION
           CALL 'EZASOKET' USING SOC-FUNCTION AF-INET SOCK-STREAM PROTO
               SOC-ERRNO SOC-RETCODE
           IF SOC-RETCODE >= 0
               MOVE SOC-RETCODE TO SOC-S
               MOVE 'CONNECT' TO SOC-FUNCTION
               CALL 'EZASOKET' USING SOC-FUNCTION SOC-S PARTNER
                   SOC-ERRNO SOC-RETCODE
               IF SOC-RETCODE < 0
                   DISPLAY 'CONNECT FAILED, ERRNO ' SOC-ERRNO
               ELSE
                   MOVE 10 TO SOC-NBYTE
                   PERFORM WRITE-ANSWER
               END-IF
           END-IF.
       WRITE-ANSWER.
           MOVE 'WRITE' TO SOC-FUNCTION
           CALL 'EZASOKET' USING SOC-FUNCTION SOC-S SOC-NBYTE
               SOC-ANSWER SOC-ERRNO SOC-RETCODE.
      * Sends a line and reads its answer, which has as many bytes.
       ONE-REQUEST.
           MOVE S-TO TO SOC-S
           MOVE LENGTH OF REQUEST TO SOC-NBYTE
           MOVE 'WRITE' TO SOC-FUNCTION
           CALL 'EZASOKET' USING SOC-FUNCTION SOC-S SOC-NBYTE
               REQUEST SOC-ERRNO SOC-RETCODE
           MOVE S-FROM TO SOC-S
           MOVE 0 TO TIM-BYTES
           PERFORM UNTIL TIM-BYTES >= LENGTH OF REQUEST
               OR SOC-RETCODE <= 0
               PERFORM READ-SOCKET
               IF SOC-RETCODE > 0
                   ADD SOC-RETCODE TO TIM-BYTES
               END-IF
           END-PERFORM
           IF SOC-RETCODE > 0
               ADD 1 TO ANSWERED
           END-IF.
       COPY SOCKTAKE.
