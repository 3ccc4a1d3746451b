      * Services of Language Environment, in a region and in batch.
       IDENTIFICATION DIVISION.
       PROGRAM-ID. LESERV.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  THE-DATE.
           05  DATE-LENGTH         PIC S9(4) COMP VALUE 10.
           05  DATE-TEXT           PIC X(10) VALUE '2026-11-28'.
       01  THE-PICTURE.
           05  PICTURE-LENGTH      PIC S9(4) COMP VALUE 10.
           05  PICTURE-TEXT        PIC X(10) VALUE 'YYYY-MM-DD'.
       01  LONG-PICTURE.
           05  LONG-LENGTH         PIC S9(4) COMP VALUE 26.
           05  LONG-TEXT           PIC X(26) VALUE
               'Wwwwwwwwwz, ZD Mmm YYYY   '.
       01  THE-MESSAGE.
           05  MESSAGE-LENGTH      PIC S9(4) COMP VALUE 7.
           05  MESSAGE-TEXT        PIC X(7) VALUE 'MESSAGE'.
       01  LILIAN                  PIC S9(9) COMP.
       01  SECONDS-NOW             COMP-2.
       01  GREGORIAN               PIC X(17).
       01  DAY-NUMBER              PIC S9(9) COMP.
       01  WHERE-TO                PIC S9(9) COMP VALUE 2.
       01  SHOWN                   PIC X(80).
       01  N                       PIC Z(8)9.
       01  FEEDBACK.
           05  SEVERITY            PIC S9(4) COMP.
           05  MESSAGE-NUMBER      PIC S9(4) COMP.
           05  FILLER              PIC X(8).
       PROCEDURE DIVISION.
           CALL 'CEEDAYS' USING THE-DATE THE-PICTURE LILIAN FEEDBACK
           MOVE LILIAN TO N
           DISPLAY 'LILIAN ' N
           CALL 'CEEDYWK' USING LILIAN DAY-NUMBER FEEDBACK
           MOVE DAY-NUMBER TO N
           DISPLAY 'DAY ' N
           CALL 'CEEDATE' USING LILIAN LONG-PICTURE SHOWN FEEDBACK
           DISPLAY SHOWN(1:24)
           CALL 'CEELOCT' USING LILIAN SECONDS-NOW GREGORIAN FEEDBACK
           IF GREGORIAN NUMERIC AND LILIAN > 162000 AND
               SECONDS-NOW > 13900000000
               DISPLAY 'NOW'
           END-IF
           MOVE '2026-02-30' TO DATE-TEXT
           CALL 'CEEDAYS' USING THE-DATE THE-PICTURE LILIAN FEEDBACK
           MOVE MESSAGE-NUMBER TO N
           DISPLAY 'FEEDBACK ' N
           CALL 'CEEMOUT' USING THE-MESSAGE WHERE-TO FEEDBACK
           GOBACK.
