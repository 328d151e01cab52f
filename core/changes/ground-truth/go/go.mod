module example.com/theater

go 1.19
