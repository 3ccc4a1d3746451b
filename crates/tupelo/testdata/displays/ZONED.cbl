       IDENTIFICATION DIVISION.
       PROGRAM-ID. NUM.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  G.
           05  Z      PIC 9(3).
       01  H.
           05  S      PIC S9(3).
       01  N          PIC S9(5) COMP-3.
       01  W          PIC 9(3).
       01  E          PIC ZZ9.
       01  T          PIC X OCCURS 9.
       PROCEDURE DIVISION.
       MAIN-PARA.
           MOVE 5 TO N
           MOVE ' 12' TO G
           ADD Z TO N
           DISPLAY 'ADD ' N
           COMPUTE N = Z * 2
           DISPLAY 'COMPUTE ' N
           MOVE Z TO N
           DISPLAY 'MOVE ' N
           MOVE Z TO E
           DISPLAY 'EDIT ' E
           MOVE Z TO W
           DISPLAY 'SAME ' W
           MOVE '5  ' TO G
           ADD 1 TO Z
           DISPLAY 'TO ITSELF ' Z
           MOVE '1B2' TO G
           MOVE Z TO N
           DISPLAY 'LETTER ' N
           MOVE '12}' TO H
           MOVE S TO N
           DISPLAY 'OVERPUNCH ' N
           MOVE ' 1J' TO H
           ADD 1 TO S
           DISPLAY 'NEGATIVE ' S
           MOVE LOW-VALUES TO G
           MOVE Z TO N
           DISPLAY 'ZEROS ' N
           GOBACK.
