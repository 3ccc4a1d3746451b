      * Tells what the client's certificate says, its owner and who
      * signed it.
       IDENTIFICATION DIVISION.
       PROGRAM-ID. WEBCERT.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-NAME                     POINTER.
       01  WS-NAME-L                   PIC S9(8) COMP.
       01  WS-ORG                      POINTER.
       01  WS-ORG-L                    PIC S9(8) COMP.
       01  WS-COUNTRY                  POINTER.
       01  WS-COUNTRY-L                PIC S9(8) COMP.
       01  WS-SERIAL                   POINTER.
       01  WS-SERIAL-L                 PIC S9(8) COMP.
       01  WS-LENGTH                   PIC S9(8) COMP.
       01  WS-USER                     PIC X(8).
       01  WS-SSL                      PIC S9(8) COMP.
       01  WS-OUT                      PIC X(300) VALUE SPACES.
       01  WS-AT                       PIC S9(8) COMP VALUE 1.
       LINKAGE SECTION.
       01  LK-NAME                     PIC X(40).
       01  LK-ORG                      PIC X(40).
       01  LK-COUNTRY                  PIC X(2).
       01  LK-SERIAL                   PIC X(2).
       PROCEDURE DIVISION.
           EXEC CICS EXTRACT TCPIP SSLTYPE(WS-SSL) END-EXEC
           IF WS-SSL = DFHVALUE(CLIENTAUTH)
               STRING 'CLIENTAUTH ' DELIMITED BY SIZE
                   INTO WS-OUT POINTER WS-AT
           END-IF
           EXEC CICS EXTRACT CERTIFICATE(WS-NAME)
               LENGTH(WS-LENGTH) END-EXEC
           IF WS-NAME = NULL AND WS-LENGTH = 0
               EXEC CICS ASSIGN INVOKINGPROG(WS-USER) END-EXEC
               STRING 'none ' WS-USER DELIMITED BY SIZE
                   INTO WS-OUT POINTER WS-AT
           ELSE
               IF WS-LENGTH > 200
                   STRING 'shown ' DELIMITED BY SIZE
                       INTO WS-OUT POINTER WS-AT
               END-IF
               EXEC CICS EXTRACT CERTIFICATE OWNER
                   COMMONNAME(WS-NAME) COMMONNAMLEN(WS-NAME-L)
                   ORGANIZATION(WS-ORG) ORGANIZATLEN(WS-ORG-L)
                   COUNTRY(WS-COUNTRY) COUNTRYLEN(WS-COUNTRY-L)
                   SERIALNUM(WS-SERIAL) SERIALNUMLEN(WS-SERIAL-L)
                   USERID(WS-USER) END-EXEC
               SET ADDRESS OF LK-NAME TO WS-NAME
               SET ADDRESS OF LK-ORG TO WS-ORG
               SET ADDRESS OF LK-COUNTRY TO WS-COUNTRY
               SET ADDRESS OF LK-SERIAL TO WS-SERIAL
               STRING LK-NAME(1:WS-NAME-L) '/' LK-ORG(1:WS-ORG-L)
                   '/' LK-COUNTRY(1:WS-COUNTRY-L) ' '
                   LK-SERIAL(1:WS-SERIAL-L) ' ' WS-USER
                   DELIMITED BY SIZE INTO WS-OUT POINTER WS-AT
               EXEC CICS EXTRACT CERTIFICATE ISSUER
                   COMMONNAME(WS-NAME) COMMONNAMLEN(WS-NAME-L)
                   END-EXEC
               SET ADDRESS OF LK-NAME TO WS-NAME
               STRING ' by ' LK-NAME(1:WS-NAME-L)
                   DELIMITED BY SIZE INTO WS-OUT POINTER WS-AT
           END-IF
           SUBTRACT 1 FROM WS-AT
           EXEC CICS WEB SEND FROM(WS-OUT) FROMLENGTH(WS-AT)
               MEDIATYPE('text/plain') STATUSCODE(200) END-EXEC
           EXEC CICS RETURN END-EXEC.
