      * Lengths that a CALL passes are fullwords of z/OS, and what a
      * program got it can pass on.
       IDENTIFICATION DIVISION.
       PROGRAM-ID. CALLED.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01 A PIC X(5) VALUE 'AAAAA'.
       01 T.
          05 E PIC X(3) OCCURS 3 VALUE 'TTT'.
       01 N PIC 9 VALUE 2.
       01 V.
          05 VE PIC X(4) OCCURS 1 TO 9 DEPENDING ON N.
       PROCEDURE DIVISION.
           CALL 'CALLEDF' USING A LENGTH OF A
           DISPLAY A
           CALL 'CALLEDF' USING E OF T (2) BY CONTENT LENGTH OF
             E OF T (1)
           DISPLAY T
           MOVE SPACES TO V
           CALL 'CALLEDF' USING V LENGTH OF V END-CALL
           DISPLAY V '|'
           CALL 'CALLEDM' USING A
           DISPLAY A
           GOBACK.
       END PROGRAM CALLED.
       IDENTIFICATION DIVISION.
       PROGRAM-ID. CALLEDF.
       DATA DIVISION.
       LINKAGE SECTION.
       01 F PIC X(99).
       01 L PIC S9(9) BINARY.
       PROCEDURE DIVISION USING F L.
           MOVE ALL '*' TO F(1:L)
           GOBACK.
       END PROGRAM CALLEDF.
       IDENTIFICATION DIVISION.
       PROGRAM-ID. CALLEDM.
       DATA DIVISION.
       LINKAGE SECTION.
       01 F PIC X(5).
       01 NOWHERE PIC X(5).
       PROCEDURE DIVISION USING F.
           CALL 'CALLEDN' USING F NOWHERE
           GOBACK.
       END PROGRAM CALLEDM.
       IDENTIFICATION DIVISION.
       PROGRAM-ID. CALLEDN.
       DATA DIVISION.
       LINKAGE SECTION.
       01 F PIC X(5).
       01 G PIC X(5).
       PROCEDURE DIVISION USING F G.
           IF ADDRESS OF G = NULL MOVE 'NULL' TO F END-IF
           GOBACK.
       END PROGRAM CALLEDN.
