      * Functions whose result depends on the day or the moment.
      * Nothing here names a date: each result is held against its
      * definition and the clock.
       IDENTIFICATION DIVISION.
       PROGRAM-ID. TODAY.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  NOW                     PIC X(21).
       01  LATER                   PIC X(21).
       01  COMPILED                PIC X(21).
       01  TODAYS-DATE             PIC 9(8).
       01  TODAYS-DAY              PIC 9(7).
       01  WEEKDAY                 PIC 9.
       01  THE-YEAR                PIC 9(4).
       01  YY                      PIC 9(3).
       01  FULL                    PIC 9(8).
       01  THE-END                 PIC S9(5).
       01  W                       PIC 9.
       01  WINDOWS                 VALUE '-100-010+000+010+050+120'.
           05  THE-WINDOW          PIC S9(3) SIGN LEADING SEPARATE
                                   OCCURS 6.
       01  WRONG                   PIC 9(5) VALUE 0.
       01  TRIED                   PIC 9(5) VALUE 0.
       01  DAY-NUMBER              PIC 9(8).
       01  SECONDS                 PIC 9(6)V99.
       01  R1                      PIC 9V9(9).
       01  R2                      PIC 9V9(9).
       01  STAMP                   PIC X(25).
       PROCEDURE DIVISION.
       MAIN-PARA.
           MOVE FUNCTION CURRENT-DATE TO NOW
           ACCEPT TODAYS-DATE FROM DATE YYYYMMDD
           ACCEPT TODAYS-DAY FROM DAY YYYYDDD
           ACCEPT WEEKDAY FROM DAY-OF-WEEK
           MOVE FUNCTION CURRENT-DATE TO LATER
           IF NOW(1:8) NOT = LATER(1:8)
      * Midnight has passed between the two.
               GO TO MAIN-PARA
           END-IF
           MOVE NOW(1:4) TO THE-YEAR
           PERFORM VARYING W FROM 1 BY 1 UNTIL W > 6
               PERFORM VARYING YY FROM 0 BY 1 UNTIL YY > 99
                   COMPUTE FULL =
                       FUNCTION YEAR-TO-YYYY(YY THE-WINDOW(W))
                   PERFORM CHECK-WINDOW
                   COMPUTE FULL = FUNCTION DATE-TO-YYYYMMDD
                       (YY * 10000 + 1231 THE-WINDOW(W)) / 10000
                   PERFORM CHECK-WINDOW
                   COMPUTE FULL = FUNCTION DAY-TO-YYYYDDD
                       (YY * 1000 + 365 THE-WINDOW(W)) / 1000
                   PERFORM CHECK-WINDOW
               END-PERFORM
           END-PERFORM
           DISPLAY 'WINDOWS ' TRIED ' WRONG ' WRONG
           MOVE 5 TO W
           MOVE 0 TO WRONG TRIED
           PERFORM VARYING YY FROM 0 BY 1 UNTIL YY > 99
               COMPUTE FULL = FUNCTION YEAR-TO-YYYY(YY)
               PERFORM CHECK-WINDOW
           END-PERFORM
           DISPLAY 'DEFAULT ' TRIED ' WRONG ' WRONG
           IF NOW(1:8) = TODAYS-DATE DISPLAY 'DATE' END-IF
           COMPUTE DAY-NUMBER = FUNCTION INTEGER-OF-DATE(TODAYS-DATE)
           IF FUNCTION DAY-OF-INTEGER(DAY-NUMBER) = TODAYS-DAY
               DISPLAY 'DAY' END-IF
           IF FUNCTION INTEGER-OF-DAY(TODAYS-DAY) = DAY-NUMBER
               DISPLAY 'DAY NUMBER' END-IF
           IF FUNCTION MOD(DAY-NUMBER - 1 7) + 1 = WEEKDAY
               DISPLAY 'WEEKDAY' END-IF
           IF NOW(9:8) IS NUMERIC AND NOW(9:2) < '24'
               AND NOW(11:2) < '60' AND NOW(13:2) < '60'
               DISPLAY 'TIME' END-IF
           IF (NOW(17:1) = '+' OR '-') AND NOW(18:4) IS NUMERIC
               DISPLAY 'OFFSET' END-IF
           MOVE FUNCTION WHEN-COMPILED TO COMPILED
           IF COMPILED(1:8) IS NUMERIC AND COMPILED(1:16) <= NOW(1:16)
               DISPLAY 'COMPILED' END-IF
           COMPUTE SECONDS = FUNCTION SECONDS-PAST-MIDNIGHT
           IF SECONDS < 86400 DISPLAY 'SECONDS' END-IF
           MOVE FUNCTION FORMATTED-CURRENT-DATE
               ("YYYY-MM-DDThh:mm:ss+hh:mm") TO STAMP
           IF FUNCTION TEST-FORMATTED-DATETIME
               ("YYYY-MM-DDThh:mm:ss+hh:mm" STAMP) = 0
               DISPLAY 'STAMP' END-IF
           COMPUTE R1 = FUNCTION RANDOM(7)
           COMPUTE R2 = FUNCTION RANDOM
           IF R1 < 1 AND R2 < 1 AND R1 NOT = R2
               DISPLAY 'RANDOM' END-IF
           COMPUTE R2 = FUNCTION RANDOM(7)
           IF R1 = R2 DISPLAY 'SAME SEED' END-IF
           GOBACK.
      * The year is the one of the hundred that end so many years from
      * now.
       CHECK-WINDOW.
           ADD 1 TO TRIED
           COMPUTE THE-END = THE-YEAR + THE-WINDOW(W)
           IF FUNCTION MOD(FULL 100) NOT = YY
               OR FULL > THE-END OR FULL < THE-END - 99
               ADD 1 TO WRONG
           END-IF.
