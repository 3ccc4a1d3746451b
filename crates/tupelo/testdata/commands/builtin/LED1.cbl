      * CEEDAYS and CEEDATE: the manual's four spellings of one day, and a
      * day that is none.
       IDENTIFICATION DIVISION.
       PROGRAM-ID. LED1.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       COPY TELLDATA.
       01  FC.
           02  CONDITION-TOKEN-VALUE.
           COPY CEEIGZCT.
               03  CASE-1-CONDITION-ID PIC X(4).
               03  CASE-SEV-CTL        PIC X.
               03  FACILITY-ID         PIC XXX.
           02  I-S-INFO                PIC S9(9) BINARY.
       01  WS-DATE.
           02  DATE-LENGTH             PIC S9(4) BINARY.
           02  DATE-TEXT               PIC X(256).
       01  WS-PICTURE.
           02  PICTURE-LENGTH          PIC S9(4) BINARY.
           02  PICTURE-TEXT            PIC X(256).
       01  WS-DAYS                     PIC S9(9) BINARY.
       01  WS-SHOWN                    PIC Z(8)9.
       01  WS-OUT                      PIC X(80) VALUE ALL 'X'.
       LINKAGE SECTION.
       COPY TOLD.
       PROCEDURE DIVISION.
           MOVE '6/2/88' TO DATE-TEXT MOVE 6 TO DATE-LENGTH
           MOVE 'MM/DD/YY' TO PICTURE-TEXT MOVE 8 TO PICTURE-LENGTH
           PERFORM TO-DAYS
           MOVE '06/02/88' TO DATE-TEXT MOVE 8 TO DATE-LENGTH
           PERFORM TO-DAYS
           MOVE '060288' TO DATE-TEXT MOVE 6 TO DATE-LENGTH
           MOVE 'MMDDYY' TO PICTURE-TEXT MOVE 6 TO PICTURE-LENGTH
           PERFORM TO-DAYS
           MOVE '88154' TO DATE-TEXT MOVE 5 TO DATE-LENGTH
           MOVE 'YYDDD' TO PICTURE-TEXT MOVE 5 TO PICTURE-LENGTH
           PERFORM TO-DAYS
           MOVE 3074325 TO WS-DAYS
           CALL 'CEEDATE' USING WS-DAYS WS-PICTURE WS-OUT FC
           IF CEE2EG OF FC AND WS-OUT = SPACES
               MOVE 'CEE2EG AND BLANKS' TO TELL-DATA
           END-IF
           MOVE '3074325' TO TELL-STEP PERFORM TELL
           EXEC CICS RETURN END-EXEC.
       TO-DAYS.
           CALL 'CEEDAYS' USING WS-DATE WS-PICTURE WS-DAYS FC
           MOVE WS-DAYS TO WS-SHOWN
           MOVE WS-SHOWN TO TELL-DATA
           MOVE DATE-TEXT TO TELL-STEP PERFORM TELL.
       COPY TELL.
