      * ACCEPT reads SYSIN; a report's lines stand by themselves between
      * those that the program displays.
       IDENTIFICATION DIVISION.
       PROGRAM-ID. CARDS.
       ENVIRONMENT DIVISION.
       INPUT-OUTPUT SECTION.
       FILE-CONTROL.
           SELECT REPORT-FILE ASSIGN TO UT-S-REPORT FILE STATUS IS FS.
       DATA DIVISION.
       FILE SECTION.
       FD  REPORT-FILE RECORDING MODE IS F.
       01  R-LINE          PIC X(20).
       WORKING-STORAGE SECTION.
       01  FS              PIC XX.
       01  CARD            PIC X(10) VALUE SPACES.
       PROCEDURE DIVISION.
       MAIN-LINE.
           ACCEPT CARD FROM SYSIN
           DISPLAY '<' CARD '>'
           ACCEPT CARD
           DISPLAY '<' CARD '>'
           OPEN OUTPUT REPORT-FILE
           MOVE 'title' TO R-LINE
           WRITE R-LINE AFTER ADVANCING PAGE
           DISPLAY 'between'
           MOVE 'one' TO R-LINE
           WRITE R-LINE AFTER ADVANCING 2 LINES
           DISPLAY 'between'
           MOVE 'two' TO R-LINE
           WRITE R-LINE AFTER ADVANCING 1 LINE
           MOVE 'three' TO R-LINE
           WRITE R-LINE BEFORE ADVANCING 1 LINE
           CLOSE REPORT-FILE
           DISPLAY 'end ' FS
           GOBACK.
