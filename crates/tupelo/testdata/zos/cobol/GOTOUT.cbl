      * GO TO out of performed paragraphs, without any HANDLE: the end of
      * an outer range is found whatever was left inside.
       IDENTIFICATION DIVISION.
       PROGRAM-ID. GOTOUT.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  N                       PIC 9(5) VALUE 0.
       01  I                       PIC 9(5) VALUE 0.
       PROCEDURE DIVISION.
       MAIN-LINE.
           PERFORM READ-ALL THRU READ-EXIT
           DISPLAY 'RANGE ENDED ' N
           MOVE 0 TO N
           GO TO COUNTED.
       READ-ALL.
           ADD 1 TO N
           IF N > 2000
               GO TO READ-EXIT
           END-IF
           PERFORM READ-ONE VARYING I FROM 1 BY 1 UNTIL I > 3
           DISPLAY 'NOT REACHED'.
       READ-EXIT.
           EXIT.
       READ-ONE.
           IF I = 2
               PERFORM CHECK-ONE
           END-IF.
       CHECK-ONE.
           IF I = 2
               GO TO READ-ALL
           END-IF.
       COUNTED.
           ADD 1 TO N
           IF N < 600
               PERFORM LEAVE-ME
           END-IF
           DISPLAY 'LEFT ' N
           GOBACK.
       LEAVE-ME.
           GO TO COUNTED.
