       IDENTIFICATION DIVISION.
       PROGRAM-ID. NUM.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  G VALUE '1.2'.
           05  Z      PIC 9(3).
       01  X          PIC X(3).
       PROCEDURE DIVISION.
       MAIN-PARA.
           MOVE Z TO X
           DISPLAY X
           GOBACK.
