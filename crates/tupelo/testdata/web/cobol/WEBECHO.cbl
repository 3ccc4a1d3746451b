      * Sends back the body that it receives.
       IDENTIFICATION DIVISION.
       PROGRAM-ID. WEBECHO.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-BODY                     PIC X(65536).
       01  WS-LENGTH                   PIC S9(8) COMP.
       01  WS-MOST                     PIC S9(8) COMP VALUE 65536.
       01  WS-MEDIA                    PIC X(56).
       PROCEDURE DIVISION.
           EXEC CICS WEB RECEIVE INTO(WS-BODY) LENGTH(WS-LENGTH)
               MAXLENGTH(WS-MOST) MEDIATYPE(WS-MEDIA) END-EXEC
           EXEC CICS WEB SEND FROM(WS-BODY) FROMLENGTH(WS-LENGTH)
               MEDIATYPE(WS-MEDIA) STATUSCODE(200) END-EXEC
           EXEC CICS RETURN END-EXEC.
