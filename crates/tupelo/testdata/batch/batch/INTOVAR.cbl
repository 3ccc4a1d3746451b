      * READ INTO moves as many characters as the record has, whatever
      * length the last WRITE had.
       IDENTIFICATION DIVISION.
       PROGRAM-ID. INTOVAR.
       ENVIRONMENT DIVISION.
       INPUT-OUTPUT SECTION.
       FILE-CONTROL.
           SELECT VARF ASSIGN TO VARDD FILE STATUS FS.
           SELECT TWOF ASSIGN TO VARDD FILE STATUS FS.
       DATA DIVISION.
       FILE SECTION.
       FD VARF RECORDING MODE V RECORD VARYING FROM 5 TO 30
          DEPENDING ON RL.
       01 VR PIC X(30).
       FD TWOF RECORDING MODE V.
       01 TWO-SHORT PIC X(5).
       01 TWO-LONG PIC X(30).
       WORKING-STORAGE SECTION.
       01 FS PIC XX.
       01 RL PIC 9(4) COMP.
      * Names that the letters of RECORDING MODE do not reserve.
       01 V PIC X. 01 S PIC X. 01 U PIC X.
       01 WS PIC X(32).
       PROCEDURE DIVISION.
           OPEN OUTPUT VARF
           MOVE ALL 'A' TO VR MOVE 12 TO RL WRITE VR
           MOVE ALL 'B' TO VR MOVE 30 TO RL WRITE VR
           MOVE ALL 'C' TO VR MOVE 6 TO RL WRITE VR
           MOVE 4 TO RL WRITE VR DISPLAY FS
           CLOSE VARF
           OPEN INPUT VARF
           PERFORM 3 TIMES
             READ VARF INTO WS DISPLAY FS '[' WS ']'
           END-PERFORM
           CLOSE VARF
           OPEN INPUT TWOF
           PERFORM 3 TIMES
             READ TWOF INTO WS DISPLAY FS '[' WS ']'
           END-PERFORM
           CLOSE TWOF
           OPEN I-O VARF
           READ VARF INTO WS MOVE 'Z' TO VR(1:1) REWRITE VR
           READ VARF INTO WS DISPLAY FS '[' WS ']'
           CLOSE VARF
           GOBACK.
