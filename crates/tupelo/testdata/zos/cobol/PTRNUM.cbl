      * Addresses as numbers of four bytes, in the three shapes that
      * programs have.
       IDENTIFICATION DIVISION.
       PROGRAM-ID. PTRNUM.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  TEXT-AREA               PIC X(12) VALUE 'ABCDEFGHIJKL'.
       01  P                       POINTER.
       01  PN REDEFINES P          PIC S9(9) COMP.
       01  G.
           05  Q                   USAGE IS POINTER.
           05  QG REDEFINES Q.
               10  QN              PIC 9(8) USAGE IS BINARY.
           05  AFTER-Q             PIC X VALUE 'Z'.
       01  RN                      PIC S9(9) COMP VALUE 0.
       01  R REDEFINES RN          POINTER.
       01  S                       USAGE POINTER-32.
       LINKAGE SECTION.
       01  L                       PIC X(4).
       PROCEDURE DIVISION.
           SET P TO ADDRESS OF TEXT-AREA
           ADD 4 TO PN
           SET ADDRESS OF L TO P
           DISPLAY L
           SET Q TO P
           COMPUTE QN = QN + 4
           SET ADDRESS OF L TO Q
           DISPLAY L ' ' AFTER-Q
           IF RN = 0 DISPLAY 'NULL' END-IF
           SET R TO ADDRESS OF TEXT-AREA
           IF RN NOT = 0 DISPLAY 'SET' END-IF
           SET S TO ADDRESS OF TEXT-AREA
           SET S UP BY 2
           SET ADDRESS OF L TO S
           DISPLAY L
           GOBACK.
