      * The next line that is not empty, in LINE-AREA; SOC-RETCODE is 0 or
      * less when there is none. A line may come in parts, and several may
      * come together.
       READ-LINE.
           MOVE 0 TO LINE-LENGTH
           MOVE 'N' TO LINE-IS-THERE
           MOVE 1 TO SOC-RETCODE
           PERFORM READ-PIECE UNTIL LINE-IS-THERE = 'Y'
               OR SOC-RETCODE <= 0.
       READ-PIECE.
           IF READ-AT > READ-END
               PERFORM READ-SOCKET
               MOVE 1 TO READ-AT
               MOVE 0 TO READ-END
               IF SOC-RETCODE > 0
                   MOVE SOC-RETCODE TO READ-END
               END-IF
           END-IF
           IF READ-AT <= READ-END
               PERFORM TAKE-PIECE
           END-IF.
       TAKE-PIECE.
           COMPUTE PIECE-ROOM = READ-END - READ-AT + 1
           MOVE 0 TO PIECE-LENGTH
           INSPECT SOC-BUFFER(READ-AT:PIECE-ROOM) TALLYING PIECE-LENGTH
               FOR CHARACTERS BEFORE INITIAL X'0A'
           COMPUTE PIECE-ROOM = LENGTH OF LINE-TEXT - LINE-LENGTH
           IF PIECE-ROOM > PIECE-LENGTH
               MOVE PIECE-LENGTH TO PIECE-ROOM
           END-IF
           IF PIECE-ROOM > 0
               MOVE SOC-BUFFER(READ-AT:PIECE-ROOM)
                   TO LINE-TEXT(LINE-LENGTH + 1:PIECE-ROOM)
               ADD PIECE-ROOM TO LINE-LENGTH
           END-IF
           COMPUTE READ-AT = READ-AT + PIECE-LENGTH + 1
      * Behind the end by two: the line goes on.
           IF READ-AT > READ-END + 1
               MOVE READ-END TO READ-AT
               ADD 1 TO READ-AT
           ELSE
               IF LINE-LENGTH > 0
                   MOVE 'Y' TO LINE-IS-THERE
               END-IF
           END-IF.
